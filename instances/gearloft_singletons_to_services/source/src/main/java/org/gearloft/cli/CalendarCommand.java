package org.gearloft.cli;

import java.util.Date;
import java.util.List;
import java.util.Set;

import org.gearloft.model.Closure;
import org.gearloft.model.Loan;
import org.gearloft.service.Closures;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.MonthGrid;
import org.gearloft.time.OpeningCalendar;
import org.gearloft.time.Today;

/** calendar show, next, close and closures. */
final class CalendarCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "calendar show [MONTH]",
                "calendar next [DATE]",
                "calendar close FROM TO REASON",
                "calendar closures");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(
                words.subList(Math.min(1, words.size()), words.size()), Set.of(), Set.of());
        switch (action) {
            case "show" -> {
                arguments.expect(0, 1);
                String month = arguments.size() == 1 ? arguments.text(0)
                        : Dates.iso(Today.getInstance().date()).substring(0, 7);
                console.print(new MonthGrid(Dates.parseMonth(month)).lines());
            }
            case "next" -> {
                arguments.expect(0, 1);
                Date date = arguments.size() == 1
                        ? arguments.date(0) : Today.getInstance().date();
                Date open = OpeningCalendar.getInstance().openOnOrAfter(date);
                int wait = Dates.daysBetween(date, open);
                console.print(wait == 0 ? "open on %s" : "closed; next open on %s",
                        Dates.display(open));
            }
            case "close" -> close(arguments.expect(3, 3), console);
            case "closures" -> {
                arguments.expect(0, 0);
                Table table = new Table("from", "to", "days", "reason");
                for (Closure closure : Closures.getInstance().upcoming()) {
                    int days = Dates.daysBetween(closure.getFrom(), closure.getTo()) + 1;
                    table.row(Dates.iso(closure.getFrom()), Dates.iso(closure.getTo()), days,
                            closure.getReason());
                }
                console.print(table.lines());
            }
            default -> throw new UsageException("calendar: what?");
        }
    }

    private static void close(Arguments arguments, Console console) {
        Date from = arguments.date(0);
        Date to = arguments.date(1);
        List<Loan> moved = Closures.getInstance().add(from, to, arguments.text(2));
        console.print("closed from %s to %s", Dates.display(from), Dates.display(to));
        for (Loan loan : moved) {
            console.print("item %d is now due %s", loan.getItemId(),
                    Dates.display(loan.getDue()));
        }
    }
}
