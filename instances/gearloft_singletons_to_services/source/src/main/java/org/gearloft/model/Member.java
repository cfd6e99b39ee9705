package org.gearloft.model;

import java.util.Date;

/** Somebody who may borrow tools until the membership ends. */
public final class Member {

    private final int id;
    private final String name;
    private final String email;
    private final Date joined;
    private Date until;

    public Member(int id, String name, String email, Date joined, Date until) {
        this.id = id;
        this.name = name;
        this.email = email;
        this.joined = joined;
        this.until = until;
    }

    public int getId() {
        return id;
    }

    public String getName() {
        return name;
    }

    public String getEmail() {
        return email;
    }

    public Date getJoined() {
        return joined;
    }

    /** The last day of the membership. */
    public Date getUntil() {
        return until;
    }

    public void setUntil(Date until) {
        this.until = until;
    }

    public boolean isExpired(Date on) {
        return until.before(on);
    }
}
