package org.gearloft.cli;

import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Set;

import org.gearloft.service.NoticeWriter;
import org.gearloft.service.Reports;
import org.gearloft.store.Journal;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** report month, usage, overdue, journal and notices. */
final class ReportCommand implements Command {

    @Override
    public List<String> usage() {
        return List.of(
                "report month MONTH",
                "report usage [--from DATE] [--to DATE]",
                "report overdue",
                "report journal [--last N]",
                "report notices FOLDER");
    }

    @Override
    public void run(List<String> words, Console console) {
        String action = words.isEmpty() ? "" : words.get(0);
        Arguments arguments = new Arguments(
                words.subList(Math.min(1, words.size()), words.size()),
                Set.of("--from", "--to", "--last"), Set.of());
        switch (action) {
            case "month" -> {
                Date month = Dates.parseMonth(arguments.expect(1, 1).text(0));
                console.print(Reports.getInstance().month(month));
            }
            case "usage" -> {
                arguments.expect(0, 0);
                Date to = arguments.date("--to", Today.getInstance().date());
                Date from = arguments.date("--from", Dates.plusDays(to, -29));
                console.print(Reports.getInstance().usage(from, to));
            }
            case "overdue" -> {
                arguments.expect(0, 0);
                console.print(Reports.getInstance().overdue());
            }
            case "journal" -> {
                arguments.expect(0, 0);
                console.print(Journal.getInstance().last(arguments.number("--last", 10)));
            }
            case "notices" -> {
                Path folder = Path.of(arguments.expect(1, 1).text(0));
                for (Path file : NoticeWriter.getInstance().write(folder)) {
                    console.print("%s", file);
                }
            }
            default -> throw new UsageException("report: what?");
        }
    }
}
