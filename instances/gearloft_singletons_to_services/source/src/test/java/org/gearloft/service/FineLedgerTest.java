package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.gearloft.model.Entry;
import org.gearloft.model.Loan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FineLedgerTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        TestLoft.openWithTools(folder);
    }

    private static String refusal(Runnable action) {
        return assertThrows(LoftException.class, action::run).getMessage();
    }

    private Loan loan(int item, String due) {
        return new Loan(1, item, 1, date("2024-01-02"), date(due), null, 0);
    }

    @Test
    void costsNothingInTime() {
        assertEquals(0, FineLedger.getInstance().fineFor(
                loan(2, "2024-03-15"), date("2024-03-15")));
    }

    @Test
    void costsNothingWithinTheGrace() {
        assertEquals(0, FineLedger.getInstance().fineFor(
                loan(2, "2024-03-16"), date("2024-03-19")));
    }

    @Test
    void costsSomethingPerOpenDay() {
        assertEquals(100, FineLedger.getInstance().fineFor(
                loan(2, "2024-03-16"), date("2024-03-20")));
        assertEquals(150, FineLedger.getInstance().fineFor(
                loan(4, "2024-03-16"), date("2024-03-20")));
    }

    @Test
    void costsNoMoreThanAnother() {
        assertEquals(1800, FineLedger.getInstance().fineFor(
                loan(1, "2022-01-04"), date("2024-03-15")));
    }

    @Test
    void tellsWhatIsPending() {
        LoanDesk.getInstance().lend(4, 1, 0);
        TestLoft.open(folder, "2024-03-23 10:00");
        assertEquals(225, FineLedger.getInstance().pending(1));
        assertEquals(0, FineLedger.getInstance().balance(1));
    }

    @Test
    void paymentsLowerTheBalance() {
        FineLedger.getInstance().charge(1, 500, date("2024-03-15"), "broken");
        FineLedger.getInstance().pay(1, 200);
        TestLoft.open(folder, TestLoft.NOW);
        assertEquals(300, FineLedger.getInstance().balance(1));
        Entry payment = FineLedger.getInstance().entriesOf(1).get(1);
        assertTrue(payment.isPayment());
        assertEquals(date("2024-03-15"), payment.getDate());
    }

    @Test
    void refusesMoreThanIsOwed() {
        assertEquals("member 1 owes 0.00",
                refusal(() -> FineLedger.getInstance().pay(1, 1)));
        assertEquals("nothing to pay", refusal(() -> FineLedger.getInstance().pay(1, 0)));
        assertEquals("nothing to charge", refusal(
                () -> FineLedger.getInstance().charge(1, 0, date("2024-03-15"), "x")));
    }
}
