package org.gearloft.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.gearloft.LoftException;
import org.junit.jupiter.api.Test;

class MoneyTest {

    @Test
    void readsWholeAmounts() {
        assertEquals(1200, Money.parse("12"));
    }

    @Test
    void readsCents() {
        assertEquals(1205, Money.parse("12.05"));
    }

    @Test
    void refusesOtherText() {
        for (String text : new String[] {"", "-1", "1.5", "1,50", "1.500", "ten"}) {
            assertThrows(LoftException.class, () -> Money.parse(text), text);
        }
    }

    @Test
    void writesCents() {
        assertEquals("0.05", Money.format(5));
        assertEquals("12.50", Money.format(1250));
    }

    @Test
    void writesASignBeforeSmallPayments() {
        assertEquals("-0.50", Money.format(-50));
    }
}
