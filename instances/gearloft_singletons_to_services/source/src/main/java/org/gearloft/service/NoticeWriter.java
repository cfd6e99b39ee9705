package org.gearloft.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.Settings;
import org.gearloft.model.Hold;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.gearloft.store.Journal;
import org.gearloft.store.StoreException;
import org.gearloft.text.Money;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** Writes a letter to each member who should know something. */
public final class NoticeWriter {

    private static NoticeWriter instance;

    private NoticeWriter() {
    }

    public static synchronized NoticeWriter getInstance() {
        if (instance == null) {
            instance = new NoticeWriter();
        }
        return instance;
    }

    /** Writes the letters of today to a folder; the answer is their files. */
    public List<Path> write(Path folder) {
        List<Path> written = new ArrayList<>();
        for (Member member : Members.getInstance().all()) {
            List<String> news = newsFor(member);
            if (!news.isEmpty()) {
                Path file = folder.resolve(fileName(member));
                save(file, letter(member, news));
                written.add(file);
            }
        }
        Journal.getInstance().note(written.size() + " notices written");
        return written;
    }

    private List<String> newsFor(Member member) {
        Date today = Today.getInstance().date();
        List<String> news = new ArrayList<>();
        for (Loan loan : LoanDesk.getInstance().currentOf(member.getId())) {
            Item item = Catalogue.getInstance().find(loan.getItemId());
            int left = Dates.daysBetween(today, loan.getDue());
            if (left < 0) {
                news.add(String.format("- %s was due on %s. Until today this costs %s.",
                        item.getName(), Dates.display(loan.getDue()),
                        Money.format(FineLedger.getInstance().fineFor(loan, today))));
            } else if (left <= Settings.getInstance().reminderDays()) {
                news.add(String.format("- %s is due on %s.",
                        item.getName(), Dates.display(loan.getDue())));
            }
        }
        for (Hold hold : HoldQueue.getInstance().all()) {
            if (hold.getMemberId() == member.getId() && hold.isReady()
                    && !hold.hasLapsed(today)) {
                Item item = Catalogue.getInstance().find(hold.getItemId());
                news.add(String.format("- %s is kept for you until %s.",
                        item.getName(), Dates.display(hold.getKeptUntil())));
            }
        }
        int left = Dates.daysBetween(today, member.getUntil());
        if (left >= 0 && left < 14) {
            news.add("- Your membership ends on " + Dates.display(member.getUntil()) + ".");
        }
        return news;
    }

    private String letter(Member member, List<String> news) {
        List<String> lines = new ArrayList<>();
        lines.add(Settings.getInstance().loftName());
        lines.add(Dates.display(Today.getInstance().date()));
        lines.add("To: " + member.getEmail());
        lines.add("");
        lines.add("Dear " + member.getName() + ",");
        lines.add("");
        lines.addAll(news);
        int owed = FineLedger.getInstance().balance(member.getId());
        if (owed > 0) {
            lines.add("- You owe " + Money.format(owed) + ".");
        }
        return String.join("\n", lines) + "\n";
    }

    private static String fileName(Member member) {
        return String.format("%s-member-%03d.txt",
                Dates.iso(Today.getInstance().date()), member.getId());
    }

    private static void save(Path file, String text) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new StoreException("cannot write " + file, e);
        }
    }
}
