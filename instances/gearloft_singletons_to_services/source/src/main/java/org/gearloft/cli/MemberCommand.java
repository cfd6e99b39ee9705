package org.gearloft.cli;

import java.util.List;
import java.util.Set;

import org.gearloft.model.Entry;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.gearloft.service.Catalogue;
import org.gearloft.service.FineLedger;
import org.gearloft.service.LoanDesk;
import org.gearloft.service.Members;
import org.gearloft.text.Money;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** member add, list, show and extend; also pay and charge. */
final class MemberCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "member add NAME EMAIL [--months N]",
                "member list [--expired]",
                "member show MEMBER",
                "member extend MEMBER MONTHS",
                "member charge MEMBER AMOUNT NOTE",
                "member pay MEMBER AMOUNT");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(words.subList(Math.min(1, words.size()),
                words.size()), Set.of("--months"), Set.of("--expired"));
        switch (action) {
            case "add" -> add(arguments.expect(2, 2), console);
            case "list" -> list(arguments.expect(0, 0), console);
            case "show" -> show(arguments.expect(1, 1), console);
            case "extend" -> {
                arguments.expect(2, 2);
                Member member = Members.getInstance().extend(
                        arguments.number(0), arguments.number(1));
                console.print("member %d until %s", member.getId(),
                        Dates.display(member.getUntil()));
            }
            case "charge" -> {
                arguments.expect(3, 3);
                Entry entry = FineLedger.getInstance().charge(arguments.number(0),
                        Money.parse(arguments.text(1)), Today.getInstance().date(),
                        arguments.text(2));
                console.print("charged %s", Money.format(entry.getCents()));
            }
            case "pay" -> {
                arguments.expect(2, 2);
                int id = arguments.number(0);
                FineLedger.getInstance().pay(id, Money.parse(arguments.text(1)));
                console.print("member %d owes %s", id,
                        Money.format(FineLedger.getInstance().balance(id)));
            }
            default -> throw new UsageException("member: what?");
        }
    }

    private static void add(Arguments arguments, Console console) {
        Member member = Members.getInstance().join(arguments.text(0), arguments.text(1),
                arguments.number("--months", 12));
        console.print("member %d until %s", member.getId(), Dates.display(member.getUntil()));
    }

    private static void list(Arguments arguments, Console console) {
        Members members = Members.getInstance();
        Table table = new Table("id", "name", "until", "owes");
        for (Member member : arguments.has("--expired") ? members.expired() : members.all()) {
            table.row(member.getId(), member.getName(), Dates.iso(member.getUntil()),
                    Money.format(FineLedger.getInstance().balance(member.getId())));
        }
        console.print(table.lines());
    }

    private static void show(Arguments arguments, Console console) {
        Member member = Members.getInstance().find(arguments.number(0));
        boolean expired = member.isExpired(Today.getInstance().date());
        console.print("%s <%s>", member.getName(), member.getEmail());
        console.print("joined  %s", Dates.display(member.getJoined()));
        console.print("until   %s%s", Dates.display(member.getUntil()),
                expired ? " (ended)" : "");
        for (Loan loan : LoanDesk.getInstance().currentOf(member.getId())) {
            console.print("has     %s, due %s",
                    Catalogue.getInstance().find(loan.getItemId()).getName(),
                    Dates.display(loan.getDue()));
        }
        for (Entry entry : FineLedger.getInstance().entriesOf(member.getId())) {
            console.print("account %s  %8s  %s", Dates.iso(entry.getDate()),
                    Money.format(entry.getCents()), entry.getNote());
        }
        console.print("owes    %s", Money.format(
                FineLedger.getInstance().balance(member.getId())));
        int pending = FineLedger.getInstance().pending(member.getId());
        if (pending > 0) {
            console.print("pending %s", Money.format(pending));
        }
    }
}
