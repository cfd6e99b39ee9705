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
import org.gearloft.text.Money;
import org.gearloft.time.Dates;
import org.gearloft.time.OpeningCalendar;
import org.gearloft.time.Today;

/** Lends tools and takes them back. */
public final class LoanDesk {

    private static final int LONGEST_LOAN = 28;

    private static LoanDesk instance;

    private LoanDesk() {
    }

    public static synchronized LoanDesk getInstance() {
        if (instance == null) {
            instance = new LoanDesk();
        }
        return instance;
    }

    /** The loan that a tool is out on, or null. */
    public Loan currentLoan(int itemId) {
        for (Loan loan : DataStore.getInstance().loans()) {
            if (loan.getItemId() == itemId && loan.isOut()) {
                return loan;
            }
        }
        return null;
    }

    public List<Loan> current() {
        List<Loan> current = new ArrayList<>(DataStore.getInstance().loans());
        current.removeIf(loan -> !loan.isOut());
        return current;
    }

    public List<Loan> currentOf(int memberId) {
        List<Loan> loans = current();
        loans.removeIf(loan -> loan.getMemberId() != memberId);
        return loans;
    }

    public List<Loan> overdue() {
        Date today = Today.getInstance().date();
        List<Loan> loans = current();
        loans.removeIf(loan -> !loan.isOverdue(today));
        return loans;
    }

    /** All loans of a tool, oldest first. */
    public List<Loan> historyOf(int itemId) {
        List<Loan> loans = new ArrayList<>(DataStore.getInstance().loans());
        loans.removeIf(loan -> loan.getItemId() != itemId);
        loans.sort((a, b) -> a.getLent().compareTo(b.getLent()));
        return loans;
    }

    /** Lends a tool for a number of days, or for as long as its category has it where 0. */
    public Loan lend(int itemId, int memberId, int days) {
        Item item = Catalogue.getInstance().find(itemId);
        Member member = Members.getInstance().find(memberId);
        Date today = Today.getInstance().date();
        if (!OpeningCalendar.getInstance().isOpen(today)) {
            throw new LoftException("the loft is closed on " + Dates.display(today));
        }
        checkMember(member, today);
        checkItem(item, memberId);
        int length = days == 0 ? item.getCategory().loanDays() : days;
        if (length < 1 || length > LONGEST_LOAN) {
            throw new LoftException("a tool is lent for 1 to " + LONGEST_LOAN + " days");
        }
        DataStore store = DataStore.getInstance();
        Date due = OpeningCalendar.getInstance().openOnOrAfter(Dates.plusDays(today, length));
        int id = DataStore.nextId(store.loans(), Loan::getId);
        Loan loan = new Loan(id, itemId, memberId, today, due, null, 0);
        store.loans().add(loan);
        store.saveLoans();
        HoldQueue.getInstance().fulfil(itemId, memberId);
        Journal.getInstance().note("item " + itemId + " lent to member " + memberId
                + " until " + Dates.iso(due));
        return loan;
    }

    /** Takes a tool back; the answer is what the delay cost, in cents. */
    public int takeBack(int itemId, Date on) {
        Loan loan = loanOf(itemId);
        Date today = Today.getInstance().date();
        if (on.after(today)) {
            throw new LoftException("not yet: " + Dates.iso(on));
        }
        if (on.before(loan.getLent())) {
            throw new LoftException("item " + itemId + " was lent on "
                    + Dates.iso(loan.getLent()));
        }
        int fine = FineLedger.getInstance().fineFor(loan, on);
        loan.close(on);
        DataStore.getInstance().saveLoans();
        if (fine > 0) {
            FineLedger.getInstance().charge(loan.getMemberId(), fine, on,
                    "item " + itemId + " late since " + Dates.iso(loan.getDue()));
        }
        HoldQueue.getInstance().offer(itemId);
        Journal.getInstance().note("item " + itemId + " returned by member "
                + loan.getMemberId());
        return fine;
    }

    public Loan renew(int itemId) {
        Loan loan = loanOf(itemId);
        Item item = Catalogue.getInstance().find(itemId);
        Member member = Members.getInstance().find(loan.getMemberId());
        Date today = Today.getInstance().date();
        if (loan.isOverdue(today)) {
            throw new LoftException("item " + itemId + " is overdue since "
                    + Dates.iso(loan.getDue()));
        }
        if (loan.getRenewals() >= Settings.getInstance().maximumRenewals()) {
            throw new LoftException("item " + itemId + " was renewed "
                    + loan.getRenewals() + " times");
        }
        if (!HoldQueue.getInstance().waitingFor(itemId).isEmpty()) {
            throw new LoftException("others wait for item " + itemId);
        }
        if (member.isExpired(today)) {
            throw new LoftException("the membership ended on " + Dates.iso(member.getUntil()));
        }
        Date due = Dates.plusDays(loan.getDue(), item.getCategory().loanDays());
        loan.renew(OpeningCalendar.getInstance().openOnOrAfter(due));
        DataStore.getInstance().saveLoans();
        Journal.getInstance().note("item " + itemId + " renewed until "
                + Dates.iso(loan.getDue()));
        return loan;
    }

    private Loan loanOf(int itemId) {
        Catalogue.getInstance().find(itemId);
        Loan loan = currentLoan(itemId);
        if (loan == null) {
            throw new LoftException("item " + itemId + " is not out");
        }
        return loan;
    }

    private void checkMember(Member member, Date today) {
        if (member.isExpired(today)) {
            throw new LoftException("the membership ended on " + Dates.iso(member.getUntil()));
        }
        int most = Settings.getInstance().maximumLoans();
        List<Loan> loans = currentOf(member.getId());
        if (loans.size() >= most) {
            throw new LoftException("member " + member.getId() + " has " + loans.size()
                    + " tools already");
        }
        for (Loan loan : loans) {
            if (loan.isOverdue(today)) {
                throw new LoftException("item " + loan.getItemId() + " is overdue since "
                        + Dates.iso(loan.getDue()));
            }
        }
        int balance = FineLedger.getInstance().balance(member.getId());
        if (balance > Settings.getInstance().debtLimit()) {
            throw new LoftException("member " + member.getId() + " owes "
                    + Money.format(balance));
        }
    }

    private void checkItem(Item item, int memberId) {
        if (item.isRetired()) {
            throw new LoftException("item " + item.getId() + " is retired");
        }
        Loan loan = currentLoan(item.getId());
        if (loan != null) {
            throw new LoftException("item " + item.getId() + " is out until "
                    + Dates.iso(loan.getDue()));
        }
        Hold hold = HoldQueue.getInstance().readyFor(item.getId());
        if (hold != null && hold.getMemberId() != memberId) {
            throw new LoftException("item " + item.getId() + " is kept for member "
                    + hold.getMemberId() + " until " + Dates.iso(hold.getKeptUntil()));
        }
    }
}
