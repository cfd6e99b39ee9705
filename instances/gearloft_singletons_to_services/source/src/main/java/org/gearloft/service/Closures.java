package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.model.Closure;
import org.gearloft.model.Loan;
import org.gearloft.store.DataStore;
import org.gearloft.store.Journal;
import org.gearloft.time.Dates;
import org.gearloft.time.OpeningCalendar;
import org.gearloft.time.Today;

/** Plans the days on which the loft stays closed. */
public final class Closures {

    private static Closures instance;

    private Closures() {
    }

    public static synchronized Closures getInstance() {
        if (instance == null) {
            instance = new Closures();
        }
        return instance;
    }

    /** Those that are not over, the earliest first. */
    public List<Closure> upcoming() {
        List<Closure> closures = new ArrayList<>(DataStore.getInstance().closures());
        closures.removeIf(closure -> Today.getInstance().isPast(closure.getTo()));
        closures.sort((a, b) -> a.getFrom().compareTo(b.getFrom()));
        return closures;
    }

    /** Adds a closure; the answer is the loans that it gives more time. */
    public List<Loan> add(Date from, Date to, String reason) {
        DataStore store = DataStore.getInstance();
        if (to.before(from)) {
            throw new LoftException("ends before it begins: " + Dates.iso(to));
        }
        if (Today.getInstance().isPast(from)) {
            throw new LoftException("in the past: " + Dates.iso(from));
        }
        for (Closure closure : store.closures()) {
            if (!closure.getFrom().after(to) && !closure.getTo().before(from)) {
                throw new LoftException("closed already: " + closure.getReason());
            }
        }
        store.closures().add(new Closure(from, to, reason));
        store.saveClosures();
        Journal.getInstance().note("closed from " + Dates.iso(from) + " to " + Dates.iso(to));
        List<Loan> moved = new ArrayList<>();
        for (Loan loan : LoanDesk.getInstance().current()) {
            if (!loan.getDue().before(from) && !loan.getDue().after(to)) {
                moved.add(loan);
            }
        }
        for (Loan loan : moved) {
            loan.postpone(OpeningCalendar.getInstance().openOnOrAfter(loan.getDue()));
        }
        if (!moved.isEmpty()) {
            store.saveLoans();
        }
        return moved;
    }
}
