package org.gearloft.model;

import java.util.Date;

/** A member's place in the queue for a tool. */
public final class Hold {

    private final int id;
    private final int itemId;
    private final int memberId;
    private final Date placed;
    private Date keptUntil;

    public Hold(int id, int itemId, int memberId, Date placed, Date keptUntil) {
        this.id = id;
        this.itemId = itemId;
        this.memberId = memberId;
        this.placed = placed;
        this.keptUntil = keptUntil;
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

    public Date getPlaced() {
        return placed;
    }

    /** The last day that the tool is kept for the member; null while others have it. */
    public Date getKeptUntil() {
        return keptUntil;
    }

    public boolean isReady() {
        return keptUntil != null;
    }

    public boolean hasLapsed(Date on) {
        return isReady() && on.after(keptUntil);
    }

    public void keepUntil(Date date) {
        keptUntil = date;
    }
}
