package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.Settings;
import org.gearloft.model.Entry;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.store.DataStore;
import org.gearloft.store.Journal;
import org.gearloft.text.Money;
import org.gearloft.time.OpeningCalendar;
import org.gearloft.time.Today;

/** What members owe. */
public final class FineLedger {

    private static FineLedger instance;

    private FineLedger() {
    }

    public static synchronized FineLedger getInstance() {
        if (instance == null) {
            instance = new FineLedger();
        }
        return instance;
    }

    /** What a loan costs if the tool comes back on a date: never more than a new tool. */
    public int fineFor(Loan loan, Date on) {
        if (!loan.getDue().before(on)) {
            return 0;
        }
        Item item = Catalogue.getInstance().find(loan.getItemId());
        int late = OpeningCalendar.getInstance().openDaysBetween(loan.getDue(), on);
        if (late <= Settings.getInstance().graceDays()) {
            return 0;
        }
        return Math.min(late * item.getCategory().centsPerDay(), item.getPrice());
    }

    /** What a member owes, in cents, without what is still out. */
    public int balance(int memberId) {
        int cents = 0;
        for (Entry entry : entriesOf(memberId)) {
            cents += entry.getCents();
        }
        return cents;
    }

    /** What the tools cost that a member has and should have brought back. */
    public int pending(int memberId) {
        Date today = Today.getInstance().date();
        int cents = 0;
        for (Loan loan : LoanDesk.getInstance().currentOf(memberId)) {
            cents += fineFor(loan, today);
        }
        return cents;
    }

    public List<Entry> entriesOf(int memberId) {
        List<Entry> entries = new ArrayList<>(DataStore.getInstance().entries());
        entries.removeIf(entry -> entry.getMemberId() != memberId);
        return entries;
    }

    public Entry charge(int memberId, int cents, Date date, String note) {
        Members.getInstance().find(memberId);
        if (cents < 1) {
            throw new LoftException("nothing to charge");
        }
        Entry entry = add(new Entry(memberId, date, cents, note));
        Journal.getInstance().note("member " + memberId + " charged " + Money.format(cents));
        return entry;
    }

    public Entry pay(int memberId, int cents) {
        Members.getInstance().find(memberId);
        int balance = balance(memberId);
        if (cents < 1) {
            throw new LoftException("nothing to pay");
        }
        if (cents > balance) {
            throw new LoftException("member " + memberId + " owes " + Money.format(balance));
        }
        Entry entry = add(new Entry(memberId, Today.getInstance().date(), -cents, "payment"));
        Journal.getInstance().note("member " + memberId + " paid " + Money.format(cents));
        return entry;
    }

    private static Entry add(Entry entry) {
        DataStore store = DataStore.getInstance();
        store.entries().add(entry);
        store.saveEntries();
        return entry;
    }
}
