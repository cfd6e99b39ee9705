package org.ledgerprint;

import java.util.Collection;
import org.plaingrid.Grid;

/** Prints the balances of accounts. Accounts without bookings have a row of their name alone. */
public final class SummaryPrinter {
    private final Journal journal;

    public SummaryPrinter(Journal journal) {
        this.journal = journal;
    }

    public String print(Collection<String> accounts) {
        Grid grid = new Grid("account", "bookings", "balance");
        grid.setAlignment(1, Grid.RIGHT);
        grid.setAlignment(2, Grid.RIGHT);
        Money total = Money.ZERO;
        for (String account : accounts) {
            int bookings = journal.of(account).size();
            if (bookings == 0) {
                grid.addRow(account);
                continue;
            }
            Money balance = journal.balance(account);
            total = total.plus(balance);
            grid.addRow(account, String.valueOf(bookings), balance.toString());
        }
        grid.addRow("total", null, total.toString());
        return grid.render();
    }
}
