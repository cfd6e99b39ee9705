package org.ledgerprint;

import org.plaingrid.Grid;

/** Prints the statement of an account: its bookings and the balance after each. */
public final class StatementPrinter {
    private final Journal journal;

    public StatementPrinter(Journal journal) {
        this.journal = journal;
    }

    public String print(String account) {
        Grid grid = new Grid("date", "with", "text", "amount", "balance")
                .setAlignment(3, Grid.RIGHT)
                .setAlignment(4, Grid.RIGHT);
        Money balance = Money.ZERO;
        for (Booking booking : journal.of(account)) {
            Money effect = booking.effectOn(account);
            balance = balance.plus(effect);
            grid.addRow(
                    booking.date().toString(),
                    booking.counterpart(account),
                    booking.text(),
                    effect.toString(),
                    balance.toString());
        }
        return "Statement of " + account + "\n\n" + grid.render();
    }
}
