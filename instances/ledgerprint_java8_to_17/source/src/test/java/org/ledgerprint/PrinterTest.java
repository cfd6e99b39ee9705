package org.ledgerprint;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class PrinterTest {
    private final Journal journal = Journal.read(Arrays.asList(
            "2024-01-31 | work | bank | 2100.50 | pay",
            "2024-02-01 | bank | rent | 700 | February"));

    @Test
    void aStatementHasTheBalanceAfterEachBooking() {
        assertEquals(
                "Statement of bank\n"
                        + "\n"
                        + "date        with  text       amount  balance\n"
                        + "----------  ----  --------  -------  -------\n"
                        + "2024-01-31  work  pay       2100.50  2100.50\n"
                        + "2024-02-01  rent  February  -700.00  1400.50\n",
                new StatementPrinter(journal).print("bank"));
    }

    @Test
    void aStatementWithoutBookingsIsEmpty() {
        assertEquals(
                "Statement of nobody\n"
                        + "\n"
                        + "date  with  text  amount  balance\n"
                        + "----  ----  ----  ------  -------\n",
                new StatementPrinter(journal).print("nobody"));
    }

    @Test
    void aSummaryHasATotal() {
        assertEquals(
                "account  bookings  balance\n"
                        + "-------  --------  -------\n"
                        + "bank            2  1400.50\n"
                        + "nobody\n"
                        + "rent            1   700.00\n"
                        + "total              2100.50\n",
                new SummaryPrinter(journal).print(Arrays.asList("bank", "nobody", "rent")));
    }

    @Test
    void aSummaryOfNothingIsATotalOfNothing() {
        assertEquals(
                "account  bookings  balance\n"
                        + "-------  --------  -------\n"
                        + "total                 0.00\n",
                new SummaryPrinter(journal).print(Collections.emptyList()));
    }
}
