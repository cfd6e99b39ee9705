package org.gearloft.model;

import java.util.Date;

/** A tool that was lent to a member. */
public final class Loan {

    private final int id;
    private final int itemId;
    private final int memberId;
    private final Date lent;
    private Date due;
    private Date returned;
    private int renewals;

    public Loan(int id, int itemId, int memberId, Date lent, Date due, Date returned,
            int renewals) {
        this.id = id;
        this.itemId = itemId;
        this.memberId = memberId;
        this.lent = lent;
        this.due = due;
        this.returned = returned;
        this.renewals = renewals;
    }

    public int getId() {
        return id;
    }

    public int getItemId() {
        return itemId;
    }

    public int getMemberId() {
        return memberId;
    }

    public Date getLent() {
        return lent;
    }

    public Date getDue() {
        return due;
    }

    /** When the tool came back; null while it is out. */
    public Date getReturned() {
        return returned;
    }

    public int getRenewals() {
        return renewals;
    }

    public boolean isOut() {
        return returned == null;
    }

    public boolean isOverdue(Date on) {
        return isOut() && due.before(on);
    }

    public void renew(Date until) {
        due = until;
        renewals++;
    }

    /** Gives more time without counting as a renewal. */
    public void postpone(Date until) {
        due = until;
    }

    public void close(Date on) {
        returned = on;
    }
}
