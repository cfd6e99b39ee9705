package org.gearloft.cli;

import java.util.List;
import java.util.Set;

import org.gearloft.model.Hold;
import org.gearloft.service.Catalogue;
import org.gearloft.service.HoldQueue;
import org.gearloft.service.Members;
import org.gearloft.text.Table;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** hold place, cancel, list and sweep. */
final class HoldCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "hold place ITEM MEMBER",
                "hold cancel HOLD",
                "hold list",
                "hold sweep");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(
                words.subList(Math.min(1, words.size()), words.size()), Set.of(), Set.of());
        HoldQueue queue = HoldQueue.getInstance();
        switch (action) {
            case "place" -> {
                arguments.expect(2, 2);
                Hold hold = queue.place(arguments.number(0), arguments.number(1));
                console.print("hold %d, number %d in the queue", hold.getId(),
                        queue.waitingFor(hold.getItemId()).size());
            }
            case "cancel" -> {
                Hold hold = queue.cancel(arguments.expect(1, 1).number(0));
                console.print("hold %d of %s cancelled", hold.getId(),
                        Dates.display(hold.getPlaced()));
            }
            case "list" -> list(arguments.expect(0, 0), console);
            case "sweep" -> {
                arguments.expect(0, 0);
                List<Hold> lapsed = queue.sweep();
                for (Hold hold : lapsed) {
                    console.print("hold %d lapsed on %s", hold.getId(),
                            Dates.display(hold.getKeptUntil()));
                }
                console.print("%d holds lapsed", lapsed.size());
            }
            default -> throw new UsageException("hold: what?");
        }
    }

    private static void list(Arguments arguments, Console console) {
        Table table = new Table("id", "item", "member", "placed", "state");
        for (Hold hold : HoldQueue.getInstance().all()) {
            String state = "waiting";
            if (hold.hasLapsed(Today.getInstance().date())) {
                state = "lapsed";
            } else if (hold.isReady()) {
                state = "kept until " + Dates.iso(hold.getKeptUntil());
            }
            table.row(hold.getId(), Catalogue.getInstance().find(hold.getItemId()).getName(),
                    Members.getInstance().find(hold.getMemberId()).getName(),
                    Dates.iso(hold.getPlaced()), state);
        }
        console.print(table.lines());
    }
}
