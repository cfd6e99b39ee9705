package org.ledgerprint;

import java.time.LocalDate;

/** Money that goes from one account to another. */
public final class Booking {
    private final LocalDate date;
    private final String from;
    private final String to;
    private final Money amount;
    private final String text;

    public Booking(LocalDate date, String from, String to, Money amount, String text) {
        if (amount.isNegative()) {
            throw new IllegalArgumentException("book the other way round: " + amount);
        }
        if (from.equals(to)) {
            throw new IllegalArgumentException("an account cannot pay itself: " + from);
        }
        this.date = date;
        this.from = from;
        this.to = to;
        this.amount = amount;
        this.text = text;
    }

    public LocalDate date() {
        return date;
    }

    public String text() {
        return text;
    }

    public boolean touches(String account) {
        return from.equals(account) || to.equals(account);
    }

    /** What the booking adds to an account that it touches. */
    public Money effectOn(String account) {
        return to.equals(account) ? amount : amount.negated();
    }

    /** The account at the other end. */
    public String counterpart(String account) {
        return to.equals(account) ? from : to;
    }
}
