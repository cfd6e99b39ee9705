package org.ledgerprint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MoneyTest {
    @Test
    void amountsAreExact() {
        assertEquals("0.30", Money.parse("0.1").plus(Money.parse("0.2")).toString());
        assertEquals("-12.50", Money.parse(" -12.5 ").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "1.005", "1e30"})
    void otherTextIsNoAmount(String text) {
        assertThrows(IllegalArgumentException.class, () -> Money.parse(text));
    }

    @Test
    void sumsDoNotOverflow() {
        Money most = Money.ofCents(Long.MAX_VALUE);
        assertThrows(ArithmeticException.class, () -> most.plus(Money.ofCents(1)));
    }

    @Test
    void amountsAreOrdered() {
        assertTrue(Money.parse("2").compareTo(Money.parse("10")) < 0);
        assertEquals(Money.parse("2.00"), Money.ofCents(200));
    }
}
