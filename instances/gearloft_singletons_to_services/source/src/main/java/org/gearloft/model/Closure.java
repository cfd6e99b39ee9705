package org.gearloft.model;

import java.util.Date;

/** Days on which the loft is closed beside the days of the week on which it always is. */
public final class Closure {

    private final Date from;
    private final Date to;
    private final String reason;

    public Closure(Date from, Date to, String reason) {
        this.from = from;
        this.to = to;
        this.reason = reason;
    }

    public Date getFrom() {
        return from;
    }

    /** The last closed day. */
    public Date getTo() {
        return to;
    }

    public String getReason() {
        return reason;
    }

    public boolean covers(Date date) {
        return !date.before(from) && !date.after(to);
    }
}
