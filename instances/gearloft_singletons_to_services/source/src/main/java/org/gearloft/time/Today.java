package org.gearloft.time;

import java.util.Date;

/** What time it is. */
public final class Today {

    private static Today instance;

    private Date fixed;

    private Today() {
    }

    public static synchronized Today getInstance() {
        if (instance == null) {
            instance = new Today();
        }
        return instance;
    }

    /** Stops the clock at a moment such as 2024-03-15 10:30; with null it goes on. */
    public void fix(String moment) {
        fixed = moment == null ? null : Dates.parseMoment(moment);
    }

    /** This moment. */
    public Date now() {
        return fixed == null ? new Date() : fixed;
    }

    /** The day that this moment belongs to. */
    public Date date() {
        return Dates.midnight(now());
    }

    /** Whether a date lies behind us. */
    public boolean isPast(Date date) {
        return date.before(date());
    }
}
