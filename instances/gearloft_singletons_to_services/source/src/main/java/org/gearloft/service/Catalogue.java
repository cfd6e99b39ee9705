package org.gearloft.service;

import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.model.Category;
import org.gearloft.model.Item;
import org.gearloft.model.Loan;
import org.gearloft.store.DataStore;
import org.gearloft.store.Journal;
import org.gearloft.text.Money;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** The tools that there are. */
public final class Catalogue {

    private static Catalogue instance;

    private Catalogue() {
    }

    public static synchronized Catalogue getInstance() {
        if (instance == null) {
            instance = new Catalogue();
        }
        return instance;
    }

    public Item find(int id) {
        for (Item item : DataStore.getInstance().items()) {
            if (item.getId() == id) {
                return item;
            }
        }
        throw new LoftException("no item " + id);
    }

    /** All tools of a category, or of any where it is null. */
    public List<Item> list(Category category) {
        List<Item> items = new ArrayList<>();
        for (Item item : DataStore.getInstance().items()) {
            if (category == null || item.getCategory() == category) {
                items.add(item);
            }
        }
        return items;
    }

    /** Not retired, not out, and not kept for anybody. */
    public boolean isAvailable(Item item) {
        return !item.isRetired()
                && LoanDesk.getInstance().currentLoan(item.getId()) == null
                && HoldQueue.getInstance().readyFor(item.getId()) == null;
    }

    public Item add(String name, Category category, int price, Date acquired) {
        DataStore store = DataStore.getInstance();
        if (name.isBlank()) {
            throw new LoftException("a tool needs a name");
        }
        if (acquired.after(Today.getInstance().date())) {
            throw new LoftException("not acquired yet: " + Dates.iso(acquired));
        }
        int id = DataStore.nextId(store.items(), Item::getId);
        Item item = new Item(id, name, category, price, acquired, false);
        store.items().add(item);
        store.saveItems();
        Journal.getInstance().note("item " + id + " added");
        return item;
    }

    public Item retire(int id) {
        Item item = find(id);
        if (item.isRetired()) {
            throw new LoftException("item " + id + " is retired already");
        }
        Loan loan = LoanDesk.getInstance().currentLoan(id);
        if (loan != null) {
            throw new LoftException("item " + id + " is out until " + Dates.iso(loan.getDue()));
        }
        item.retire();
        DataStore.getInstance().saveItems();
        Journal.getInstance().note("item " + id + " retired");
        return item;
    }

    /** Adds a tool per line of name;category;price;acquired. All are added, or none. */
    public List<Item> importLines(List<String> lines) {
        Date today = Today.getInstance().date();
        List<Object[]> rows = new ArrayList<>();
        int number = 0;
        for (String line : lines) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            String[] fields = line.split(";", -1);
            try {
                if (fields.length < 3 || fields.length > 4) {
                    throw new LoftException("name;category;price;acquired expected");
                }
                Date acquired = fields.length < 4 || fields[3].isBlank()
                        ? today : Dates.parse(fields[3].strip());
                if (acquired.after(today)) {
                    throw new LoftException("not acquired yet: " + Dates.iso(acquired));
                }
                rows.add(new Object[] {fields[0].strip(), Category.of(fields[1].strip()),
                        Money.parse(fields[2].strip()), acquired});
            } catch (LoftException e) {
                throw new LoftException("line " + number + ": " + e.getMessage(), e);
            }
        }
        List<Item> added = new ArrayList<>();
        for (Object[] row : rows) {
            added.add(add((String) row[0], (Category) row[1], (Integer) row[2], (Date) row[3]));
        }
        return added;
    }

    /** Whole years that the loft has had a tool for. */
    public int age(Item item) {
        return Math.max(0, Dates.yearsBetween(item.getAcquired(), Today.getInstance().date()));
    }
}
