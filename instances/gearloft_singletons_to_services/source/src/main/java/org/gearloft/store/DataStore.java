package org.gearloft.store;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

import org.gearloft.LoftException;
import org.gearloft.Settings;
import org.gearloft.model.Category;
import org.gearloft.model.Closure;
import org.gearloft.model.Entry;
import org.gearloft.model.Hold;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.gearloft.time.Dates;

/** All records of the loft, in the files of its data folder. */
public final class DataStore {

    private static DataStore instance;

    private List<Member> members;
    private List<Item> items;
    private List<Loan> loans;
    private List<Hold> holds;
    private List<Entry> entries;
    private List<Closure> closures;

    private DataStore() {
    }

    public static synchronized DataStore getInstance() {
        if (instance == null) {
            instance = new DataStore();
        }
        return instance;
    }

    /** Forgets what was read, so that the files are read again. */
    public void reset() {
        members = null;
        items = null;
        loans = null;
        holds = null;
        entries = null;
        closures = null;
    }

    public List<Member> members() {
        if (members == null) {
            members = read("members.txt", 5, f -> new Member(
                    number(f.get(0)), f.get(1), f.get(2), date(f.get(3)), date(f.get(4))));
        }
        return members;
    }

    public List<Item> items() {
        if (items == null) {
            items = read("items.txt", 6, f -> new Item(
                    number(f.get(0)), f.get(1), Category.of(f.get(2)), number(f.get(3)),
                    date(f.get(4)), "retired".equals(f.get(5))));
        }
        return items;
    }

    public List<Loan> loans() {
        if (loans == null) {
            loans = read("loans.txt", 7, f -> new Loan(
                    number(f.get(0)), number(f.get(1)), number(f.get(2)), date(f.get(3)),
                    date(f.get(4)), optionalDate(f.get(5)), number(f.get(6))));
        }
        return loans;
    }

    public List<Hold> holds() {
        if (holds == null) {
            holds = read("holds.txt", 5, f -> new Hold(
                    number(f.get(0)), number(f.get(1)), number(f.get(2)), date(f.get(3)),
                    optionalDate(f.get(4))));
        }
        return holds;
    }

    public List<Entry> entries() {
        if (entries == null) {
            entries = read("accounts.txt", 4, f -> new Entry(
                    number(f.get(0)), date(f.get(1)), number(f.get(2)), f.get(3)));
        }
        return entries;
    }

    public List<Closure> closures() {
        if (closures == null) {
            closures = read("closures.txt", 3, f -> new Closure(
                    date(f.get(0)), date(f.get(1)), f.get(2)));
        }
        return closures;
    }

    public void saveMembers() {
        write("members.txt", members(), m -> List.of(text(m.getId()), m.getName(),
                m.getEmail(), text(m.getJoined()), text(m.getUntil())));
    }

    public void saveItems() {
        write("items.txt", items(), i -> List.of(text(i.getId()), i.getName(),
                i.getCategory().label(), text(i.getPrice()), text(i.getAcquired()),
                i.isRetired() ? "retired" : "active"));
    }

    public void saveLoans() {
        write("loans.txt", loans(), l -> List.of(text(l.getId()), text(l.getItemId()),
                text(l.getMemberId()), text(l.getLent()), text(l.getDue()),
                text(l.getReturned()), text(l.getRenewals())));
    }

    public void saveHolds() {
        write("holds.txt", holds(), h -> List.of(text(h.getId()), text(h.getItemId()),
                text(h.getMemberId()), text(h.getPlaced()), text(h.getKeptUntil())));
    }

    public void saveEntries() {
        write("accounts.txt", entries(), e -> List.of(text(e.getMemberId()),
                text(e.getDate()), text(e.getCents()), e.getNote()));
    }

    public void saveClosures() {
        write("closures.txt", closures(), c -> List.of(text(c.getFrom()), text(c.getTo()),
                c.getReason()));
    }

    /** A number that none of the records has yet. */
    public static <T> int nextId(List<T> records, ToIntFunction<T> id) {
        return 1 + records.stream().mapToInt(id).max().orElse(0);
    }

    private static <T> List<T> read(String name, int fields, Function<List<String>, T> record) {
        List<T> records = new ArrayList<>();
        for (List<String> line : file(name).read(fields)) {
            try {
                records.add(record.apply(line));
            } catch (LoftException e) {
                throw new StoreException(name + ": " + e.getMessage(), e);
            }
        }
        return records;
    }

    private static <T> void write(String name, List<T> records,
            Function<T, List<String>> line) {
        List<List<String>> lines = new ArrayList<>();
        for (T record : records) {
            lines.add(line.apply(record));
        }
        file(name).write(lines);
    }

    private static RecordFile file(String name) {
        return new RecordFile(Settings.getInstance().dataFolder().resolve(name));
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new StoreException("not a number: " + text, e);
        }
    }

    private static Date date(String text) {
        return Dates.parse(text);
    }

    private static Date optionalDate(String text) {
        return text.isEmpty() ? null : date(text);
    }

    private static String text(int number) {
        return Integer.toString(number);
    }

    private static String text(Date date) {
        return date == null ? "" : Dates.iso(date);
    }
}
