package org.gearloft.cli;

import java.util.Date;
import java.util.List;
import java.util.Set;

import org.gearloft.model.Hold;
import org.gearloft.model.Loan;
import org.gearloft.service.Catalogue;
import org.gearloft.service.HoldQueue;
import org.gearloft.service.LoanDesk;
import org.gearloft.service.Members;
import org.gearloft.text.Money;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** loan out, back, renew and list. */
final class LoanCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "loan out ITEM MEMBER [--days N]",
                "loan back ITEM [--on DATE]",
                "loan renew ITEM",
                "loan list [--member MEMBER] [--overdue]");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(
                words.subList(Math.min(1, words.size()), words.size()),
                Set.of("--days", "--on", "--member"), Set.of("--overdue"));
        switch (action) {
            case "out" -> {
                arguments.expect(2, 2);
                Loan loan = LoanDesk.getInstance().lend(arguments.number(0),
                        arguments.number(1), arguments.number("--days", 0));
                console.print("due %s", Dates.display(loan.getDue()));
            }
            case "back" -> back(arguments.expect(1, 1), console);
            case "renew" -> {
                Loan loan = LoanDesk.getInstance().renew(arguments.expect(1, 1).number(0));
                console.print("due %s", Dates.display(loan.getDue()));
            }
            case "list" -> list(arguments.expect(0, 0), console);
            default -> throw new UsageException("loan: what?");
        }
    }

    private static void back(Arguments arguments, Console console) {
        int itemId = arguments.number(0);
        Date on = arguments.date("--on", Today.getInstance().date());
        int fine = LoanDesk.getInstance().takeBack(itemId, on);
        console.print(fine == 0 ? "thank you" : "late: " + Money.format(fine));
        Hold hold = HoldQueue.getInstance().readyFor(itemId);
        if (hold != null) {
            console.print("keep it for %s until %s",
                    Members.getInstance().find(hold.getMemberId()).getName(),
                    Dates.display(hold.getKeptUntil()));
        }
    }

    private static void list(Arguments arguments, Console console) {
        Date today = Today.getInstance().date();
        LoanDesk desk = LoanDesk.getInstance();
        List<Loan> loans = arguments.has("--overdue") ? desk.overdue() : desk.current();
        if (arguments.has("--member")) {
            int member = arguments.number("--member", 0);
            loans.removeIf(loan -> loan.getMemberId() != member);
        }
        Table table = new Table("item", "member", "lent", "due", "left");
        for (Loan loan : loans) {
            int left = Dates.daysBetween(today, loan.getDue());
            table.row(Catalogue.getInstance().find(loan.getItemId()).getName(),
                    Members.getInstance().find(loan.getMemberId()).getName(),
                    Dates.iso(loan.getLent()), Dates.iso(loan.getDue()),
                    left < 0 ? -left + " late" : left + " days");
        }
        console.print(table.lines());
    }
}
