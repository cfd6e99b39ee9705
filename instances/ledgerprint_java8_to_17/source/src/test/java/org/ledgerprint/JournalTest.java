package org.ledgerprint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Collections;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class JournalTest {
    private final Journal journal = Journal.read(Arrays.asList(
            "2024-02-01 | bank | rent | 700 | February",
            "2024-01-31 | work | bank | 2100.50 | pay | bonus",
            "",
            "2024-02-01 | bank | food | 31.20 | market"));

    @Test
    void bookingsAreOrderedByDate() {
        assertEquals("pay | bonus", journal.of("bank").get(0).text());
        assertEquals("market", journal.of("bank").get(2).text());
    }

    @Test
    void balancesAddUp() {
        assertEquals(Money.parse("1369.30"), journal.balance("bank"));
        assertEquals(Money.parse("-2100.50"), journal.balance("work"));
        assertEquals(Money.ZERO, journal.balance("nobody"));
    }

    @Test
    void counterpartsAreTheOtherEnds() {
        assertEquals(
                new TreeSet<>(Arrays.asList("food", "rent", "work")), journal.counterparts("bank"));
    }

    @Test
    void problemsNameTheirLine() {
        IllegalArgumentException problem = assertThrows(
                IllegalArgumentException.class,
                () -> Journal.read(Arrays.asList("", "2024-13-01|a|b|1|x")));
        assertEquals("line 2: ", problem.getMessage().substring(0, 8));
    }

    @Test
    void anAccountCannotPayItself() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Journal.read(Collections.singletonList("2024-01-01|a|a|1|x")));
    }
}
