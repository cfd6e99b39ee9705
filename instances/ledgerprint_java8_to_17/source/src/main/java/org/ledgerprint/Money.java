package org.ledgerprint;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Objects;

/** An amount with two decimal places. */
public final class Money implements Comparable<Money> {
    public static final Money ZERO = new Money(0);

    private final long cents;

    private Money(long cents) {
        this.cents = cents;
    }

    public static Money ofCents(long cents) {
        return new Money(cents);
    }

    /** The amount of a decimal number such as {@code -12.5}. */
    public static Money parse(String text) {
        try {
            BigDecimal amount = new BigDecimal(text.trim()).setScale(2, RoundingMode.UNNECESSARY);
            return new Money(amount.movePointRight(2).longValueExact());
        } catch (ArithmeticException | NumberFormatException problem) {
            throw new IllegalArgumentException("no amount: " + text, problem);
        }
    }

    public Money plus(Money other) {
        return new Money(Math.addExact(cents, other.cents));
    }

    public Money negated() {
        return new Money(Math.negateExact(cents));
    }

    public boolean isNegative() {
        return cents < 0;
    }

    @Override
    public int compareTo(Money other) {
        return Long.compare(cents, other.cents);
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof Money && cents == ((Money) object).cents;
    }

    @Override
    public int hashCode() {
        return Objects.hash(cents);
    }

    @Override
    public String toString() {
        return BigDecimal.valueOf(cents, 2).toPlainString();
    }
}
