package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.gearloft.LoftException;
import org.gearloft.model.Category;
import org.gearloft.model.Entry;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.gearloft.store.DataStore;
import org.gearloft.text.Money;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** Figures for those who run the loft. */
public final class Reports {

    private static Reports instance;

    private Reports() {
    }

    public static synchronized Reports getInstance() {
        if (instance == null) {
            instance = new Reports();
        }
        return instance;
    }

    /** What happened in the month that begins with a date. */
    public List<String> month(Date first) {
        Date next = Dates.plusMonths(first, 1);
        DataStore store = DataStore.getInstance();
        int joined = 0;
        for (Member member : store.members()) {
            joined += isWithin(member.getJoined(), first, next) ? 1 : 0;
        }
        int lent = 0;
        int returned = 0;
        int late = 0;
        for (Loan loan : store.loans()) {
            lent += isWithin(loan.getLent(), first, next) ? 1 : 0;
            if (!loan.isOut() && isWithin(loan.getReturned(), first, next)) {
                returned++;
                late += loan.getReturned().after(loan.getDue()) ? 1 : 0;
            }
        }
        int charged = 0;
        int paid = 0;
        for (Entry entry : store.entries()) {
            if (isWithin(entry.getDate(), first, next)) {
                charged += entry.isPayment() ? 0 : entry.getCents();
                paid -= entry.isPayment() ? entry.getCents() : 0;
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(Dates.month(first));
        lines.addAll(new Table("figure", "value")
                .row("members joined", joined)
                .row("tools lent", lent)
                .row("tools returned", returned)
                .row("of them late", late)
                .row("charged", Money.format(charged))
                .row("paid", Money.format(paid))
                .lines());
        return lines;
    }

    /** How much tools were used from one date to another, by category. */
    public List<String> usage(Date from, Date to) {
        if (to.before(from)) {
            throw new LoftException("ends before it begins: " + Dates.iso(to));
        }
        Map<Category, int[]> figures = new EnumMap<>(Category.class);
        for (Category category : Category.values()) {
            figures.put(category, new int[3]);
        }
        for (Item item : DataStore.getInstance().items()) {
            int[] row = figures.get(item.getCategory());
            row[0] += item.isRetired() ? 0 : 1;
            for (Loan loan : LoanDesk.getInstance().historyOf(item.getId())) {
                int days = daysWithin(loan, from, to);
                row[1] += days > 0 ? 1 : 0;
                row[2] += days;
            }
        }
        int length = Dates.daysBetween(from, to) + 1;
        Table table = new Table("category", "tools", "loans", "days", "use");
        figures.forEach((category, row) -> {
            int use = row[0] == 0 ? 0 : Math.round(100f * row[2] / (row[0] * length));
            table.row(category.label(), row[0], row[1], row[2], use + "%");
        });
        List<String> lines = new ArrayList<>();
        lines.add(Dates.display(from) + " to " + Dates.display(to) + ", " + length + " days");
        lines.addAll(table.lines());
        return lines;
    }

    /** What is overdue, the longest first. */
    public List<String> overdue() {
        Date today = Today.getInstance().date();
        List<Loan> loans = LoanDesk.getInstance().overdue();
        loans.sort((a, b) -> a.getDue().compareTo(b.getDue()));
        Table table = new Table("item", "member", "due", "days", "fine");
        int total = 0;
        for (Loan loan : loans) {
            Item item = Catalogue.getInstance().find(loan.getItemId());
            Member member = Members.getInstance().find(loan.getMemberId());
            int fine = FineLedger.getInstance().fineFor(loan, today);
            total += fine;
            table.row(item.getName(), member.getName(), Dates.iso(loan.getDue()),
                    Dates.daysBetween(loan.getDue(), today), Money.format(fine));
        }
        List<String> lines = new ArrayList<>();
        lines.add("Overdue on " + Dates.display(today));
        if (table.isEmpty()) {
            lines.add("nothing");
        } else {
            lines.addAll(table.lines());
            lines.add("total " + Money.format(total));
        }
        return lines;
    }

    private static boolean isWithin(Date date, Date from, Date before) {
        return !date.before(from) && date.before(before);
    }

    /** Days of a loan between two dates, both included. */
    private static int daysWithin(Loan loan, Date from, Date to) {
        Date today = Today.getInstance().date();
        Date end = loan.isOut() ? today : loan.getReturned();
        Date first = loan.getLent().before(from) ? from : loan.getLent();
        Date last = end.after(to) ? to : end;
        return last.before(first) ? 0 : Dates.daysBetween(first, last) + 1;
    }
}
