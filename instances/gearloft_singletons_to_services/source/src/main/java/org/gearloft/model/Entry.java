package org.gearloft.model;

import java.util.Date;

/** A line of a member's account: a charge, or a payment, which is negative. */
public final class Entry {

    private final int memberId;
    private final Date date;
    private final int cents;
    private final String note;

    public Entry(int memberId, Date date, int cents, String note) {
        this.memberId = memberId;
        this.date = date;
        this.cents = cents;
        this.note = note;
    }

    public int getMemberId() {
        return memberId;
    }

    public Date getDate() {
        return date;
    }

    public int getCents() {
        return cents;
    }

    public String getNote() {
        return note;
    }

    public boolean isPayment() {
        return cents < 0;
    }
}
