package org.ledgerprint;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Bookings by date; those of one day in the order they were made. */
public final class Journal {
    private final List<Booking> bookings;

    public Journal(List<Booking> bookings) {
        this.bookings = new ArrayList<>(bookings);
        this.bookings.sort(Comparator.comparing(Booking::date));
    }

    /** Read lines of {@code date | from | to | amount | text}. */
    public static Journal read(List<String> lines) {
        List<Booking> bookings = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).trim().isEmpty()) {
                try {
                    bookings.add(booking(lines.get(i).split("\\|", 5)));
                } catch (IllegalArgumentException | DateTimeParseException problem) {
                    throw new IllegalArgumentException(
                            "line " + (i + 1) + ": " + problem.getMessage(), problem);
                }
            }
        }
        return new Journal(bookings);
    }

    private static Booking booking(String[] fields) {
        if (fields.length != 5) {
            throw new IllegalArgumentException("not five fields");
        }
        return new Booking(
                LocalDate.parse(fields[0].trim()),
                fields[1].trim(),
                fields[2].trim(),
                Money.parse(fields[3]),
                fields[4].trim());
    }

    /** The bookings that touch an account. */
    public List<Booking> of(String account) {
        return bookings.stream().filter(b -> b.touches(account)).collect(Collectors.toList());
    }

    /** The accounts that have bookings with this one. */
    public SortedSet<String> counterparts(String account) {
        return of(account).stream()
                .map(b -> b.counterpart(account))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    public Money balance(String account) {
        return of(account).stream().map(b -> b.effectOn(account)).reduce(Money.ZERO, Money::plus);
    }
}
