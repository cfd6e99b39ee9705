package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.Settings;
import org.gearloft.model.Hold;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.gearloft.store.DataStore;
import org.gearloft.store.Journal;
import org.gearloft.time.Dates;
import org.gearloft.time.OpeningCalendar;
import org.gearloft.time.Today;

/** Who waits for which tool. */
public final class HoldQueue {

    private static HoldQueue instance;

    private HoldQueue() {
    }

    public static synchronized HoldQueue getInstance() {
        if (instance == null) {
            instance = new HoldQueue();
        }
        return instance;
    }

    public List<Hold> all() {
        return new ArrayList<>(DataStore.getInstance().holds());
    }

    /** Those who wait for a tool, the first first. */
    public List<Hold> waitingFor(int itemId) {
        List<Hold> holds = all();
        holds.removeIf(hold -> hold.getItemId() != itemId);
        return holds;
    }

    /** The hold that a tool is kept for, or null; one that has lapsed keeps nothing. */
    public Hold readyFor(int itemId) {
        Date today = Today.getInstance().date();
        for (Hold hold : waitingFor(itemId)) {
            if (hold.isReady() && !hold.hasLapsed(today)) {
                return hold;
            }
        }
        return null;
    }

    public Hold place(int itemId, int memberId) {
        Item item = Catalogue.getInstance().find(itemId);
        Member member = Members.getInstance().find(memberId);
        Date today = Today.getInstance().date();
        if (item.isRetired()) {
            throw new LoftException("item " + itemId + " is retired");
        }
        if (member.isExpired(today)) {
            throw new LoftException("the membership ended on " + Dates.iso(member.getUntil()));
        }
        if (Catalogue.getInstance().isAvailable(item)) {
            throw new LoftException("item " + itemId + " is available");
        }
        Loan loan = LoanDesk.getInstance().currentLoan(itemId);
        if (loan != null && loan.getMemberId() == memberId) {
            throw new LoftException("member " + memberId + " has item " + itemId);
        }
        for (Hold hold : waitingFor(itemId)) {
            if (hold.getMemberId() == memberId) {
                throw new LoftException("member " + memberId + " waits for item " + itemId);
            }
        }
        DataStore store = DataStore.getInstance();
        int id = DataStore.nextId(store.holds(), Hold::getId);
        Hold hold = new Hold(id, itemId, memberId, today, null);
        store.holds().add(hold);
        store.saveHolds();
        Journal.getInstance().note("hold " + id + " placed on item " + itemId);
        return hold;
    }

    public Hold cancel(int id) {
        DataStore store = DataStore.getInstance();
        for (Hold hold : store.holds()) {
            if (hold.getId() == id) {
                store.holds().remove(hold);
                store.saveHolds();
                Journal.getInstance().note("hold " + id + " cancelled");
                if (hold.isReady()) {
                    offer(hold.getItemId());
                }
                return hold;
            }
        }
        throw new LoftException("no hold " + id);
    }

    /** Keeps a tool that came back for the first who waits; the answer may be null. */
    public Hold offer(int itemId) {
        List<Hold> waiting = waitingFor(itemId);
        if (waiting.isEmpty()) {
            return null;
        }
        Hold first = waiting.get(0);
        Date until = Dates.plusDays(
                Today.getInstance().date(), Settings.getInstance().holdDays());
        first.keepUntil(OpeningCalendar.getInstance().openOnOrAfter(until));
        DataStore.getInstance().saveHolds();
        Journal.getInstance().note("item " + itemId + " kept for member "
                + first.getMemberId() + " until " + Dates.iso(first.getKeptUntil()));
        return first;
    }

    /** Removes the hold of a member who now has the tool. */
    public void fulfil(int itemId, int memberId) {
        DataStore store = DataStore.getInstance();
        boolean removed = store.holds().removeIf(
                hold -> hold.getItemId() == itemId && hold.getMemberId() == memberId);
        if (removed) {
            store.saveHolds();
        }
    }

    /** Removes holds whose tools were not fetched, and offers those tools to the next. */
    public List<Hold> sweep() {
        Date today = Today.getInstance().date();
        DataStore store = DataStore.getInstance();
        List<Hold> lapsed = all();
        lapsed.removeIf(hold -> !hold.hasLapsed(today));
        for (Hold hold : lapsed) {
            store.holds().remove(hold);
            store.saveHolds();
            Journal.getInstance().note("hold " + hold.getId() + " lapsed");
            offer(hold.getItemId());
        }
        return lapsed;
    }
}
