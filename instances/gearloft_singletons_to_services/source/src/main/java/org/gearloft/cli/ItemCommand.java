package org.gearloft.cli;

import java.util.List;
import java.util.Set;

import org.gearloft.model.Category;
import org.gearloft.model.Hold;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.service.Catalogue;
import org.gearloft.service.HoldQueue;
import org.gearloft.service.LoanDesk;
import org.gearloft.service.Members;
import org.gearloft.text.Money;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** item add, list, show, retire and import. */
final class ItemCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "item add NAME CATEGORY PRICE [--acquired DATE]",
                "item list [--category CATEGORY] [--available]",
                "item show ITEM",
                "item retire ITEM",
                "item import < LINES");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(
                words.subList(Math.min(1, words.size()), words.size()),
                Set.of("--acquired", "--category"), Set.of("--available"));
        switch (action) {
            case "add" -> {
                arguments.expect(3, 3);
                Item item = Catalogue.getInstance().add(arguments.text(0),
                        Category.of(arguments.text(1)), Money.parse(arguments.text(2)),
                        arguments.date("--acquired", Today.getInstance().date()));
                console.print("item %d", item.getId());
            }
            case "list" -> list(arguments.expect(0, 0), console);
            case "show" -> show(arguments.expect(1, 1), console);
            case "retire" -> {
                Item item = Catalogue.getInstance().retire(arguments.expect(1, 1).number(0));
                console.print("item %d retired after %d years", item.getId(),
                        Catalogue.getInstance().age(item));
            }
            case "import" -> {
                arguments.expect(0, 0);
                List<Item> items = Catalogue.getInstance().importLines(console.readLines());
                console.print("%d items added", items.size());
            }
            default -> throw new UsageException("item: what?");
        }
    }

    private static void list(Arguments arguments, Console console) {
        Category category = arguments.has("--category")
                ? Category.of(arguments.option("--category", "")) : null;
        Table table = new Table("id", "name", "category", "state");
        for (Item item : Catalogue.getInstance().list(category)) {
            if (!arguments.has("--available") || Catalogue.getInstance().isAvailable(item)) {
                table.row(item.getId(), item.getName(), item.getCategory().label(),
                        state(item));
            }
        }
        console.print(table.lines());
    }

    private static void show(Arguments arguments, Console console) {
        Item item = Catalogue.getInstance().find(arguments.number(0));
        console.print("%s (%s), %s", item.getName(), item.getCategory().label(), state(item));
        console.print("price     %s", Money.format(item.getPrice()));
        console.print("acquired  %s, %d years ago", Dates.display(item.getAcquired()),
                Catalogue.getInstance().age(item));
        for (Loan loan : LoanDesk.getInstance().historyOf(item.getId())) {
            String end = loan.isOut() ? "still out" : "back " + Dates.iso(loan.getReturned());
            console.print("lent      %s to %s, due %s, %s", Dates.iso(loan.getLent()),
                    Members.getInstance().find(loan.getMemberId()).getName(),
                    Dates.iso(loan.getDue()), end);
        }
        int waiting = HoldQueue.getInstance().waitingFor(item.getId()).size();
        if (waiting > 0) {
            console.print("waiting   %d", waiting);
        }
    }

    private static String state(Item item) {
        if (item.isRetired()) {
            return "retired";
        }
        Loan loan = LoanDesk.getInstance().currentLoan(item.getId());
        if (loan != null) {
            return (loan.isOverdue(Today.getInstance().date()) ? "overdue since " : "due ")
                    + Dates.iso(loan.getDue());
        }
        Hold hold = HoldQueue.getInstance().readyFor(item.getId());
        return hold == null ? "available" : "kept until " + Dates.iso(hold.getKeptUntil());
    }
}
