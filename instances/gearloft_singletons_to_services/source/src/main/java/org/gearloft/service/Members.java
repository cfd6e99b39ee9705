package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.model.Member;
import org.gearloft.store.DataStore;
import org.gearloft.store.Journal;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** Who belongs to the loft, and until when. */
public final class Members {

    private static final int LONGEST_MEMBERSHIP = 60;

    private static Members instance;

    private Members() {
    }

    public static synchronized Members getInstance() {
        if (instance == null) {
            instance = new Members();
        }
        return instance;
    }

    public Member find(int id) {
        for (Member member : DataStore.getInstance().members()) {
            if (member.getId() == id) {
                return member;
            }
        }
        throw new LoftException("no member " + id);
    }

    public List<Member> all() {
        return new ArrayList<>(DataStore.getInstance().members());
    }

    /** Those whose membership ended before today. */
    public List<Member> expired() {
        Date today = Today.getInstance().date();
        List<Member> expired = new ArrayList<>(DataStore.getInstance().members());
        expired.removeIf(member -> !member.isExpired(today));
        return expired;
    }

    public Member join(String name, String email, int months) {
        checkMonths(months);
        if (name.isBlank()) {
            throw new LoftException("a member needs a name");
        }
        if (!email.matches("[^@\\s]+@[^@\\s]+")) {
            throw new LoftException("not an e-mail address: " + email);
        }
        DataStore store = DataStore.getInstance();
        for (Member member : store.members()) {
            if (member.getEmail().equalsIgnoreCase(email)) {
                throw new LoftException("member " + member.getId() + " has that address");
            }
        }
        Date today = Today.getInstance().date();
        int id = DataStore.nextId(store.members(), Member::getId);
        Member member = new Member(id, name, email, today, lastDay(today, months));
        store.members().add(member);
        store.saveMembers();
        Journal.getInstance().note("member " + id + " joined");
        return member;
    }

    /** Lengthens a membership; one that has ended begins anew today. */
    public Member extend(int id, int months) {
        checkMonths(months);
        Member member = find(id);
        Date today = Today.getInstance().date();
        if (member.isExpired(today)) {
            member.setUntil(lastDay(today, months));
        } else {
            Date next = Dates.plusDays(member.getUntil(), 1);
            member.setUntil(lastDay(next, months));
        }
        DataStore.getInstance().saveMembers();
        Journal.getInstance().note(
                "member " + id + " extended to " + Dates.iso(member.getUntil()));
        return member;
    }

    private static Date lastDay(Date first, int months) {
        return Dates.plusDays(Dates.plusMonths(first, months), -1);
    }

    private static void checkMonths(int months) {
        if (months < 1 || months > LONGEST_MEMBERSHIP) {
            throw new LoftException("a membership lasts 1 to " + LONGEST_MEMBERSHIP + " months");
        }
    }
}
