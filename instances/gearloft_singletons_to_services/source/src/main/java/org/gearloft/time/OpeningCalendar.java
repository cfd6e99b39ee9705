package org.gearloft.time;

import java.util.Calendar;
import java.util.Date;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

import org.gearloft.Settings;
import org.gearloft.model.Closure;
import org.gearloft.store.DataStore;
import org.gearloft.store.StoreException;

/** On which days the loft is open. */
public final class OpeningCalendar {

    /** A loft that is closed for longer than this has closed for good. */
    private static final int LONGEST_CLOSURE = 366;

    private static OpeningCalendar instance;

    private OpeningCalendar() {
    }

    public static synchronized OpeningCalendar getInstance() {
        if (instance == null) {
            instance = new OpeningCalendar();
        }
        return instance;
    }

    public boolean isOpen(Date date) {
        int day = Dates.calendar(date).get(Calendar.DAY_OF_WEEK);
        return !closedDays().contains(day) && closureOn(date) == null;
    }

    /** The closure that a date falls on, or null. */
    public Closure closureOn(Date date) {
        for (Closure closure : DataStore.getInstance().closures()) {
            if (closure.covers(date)) {
                return closure;
            }
        }
        return null;
    }

    /** The date itself where the loft is open, else the next day on which it is. */
    public Date openOnOrAfter(Date date) {
        Date day = date;
        for (int tried = 0; tried <= LONGEST_CLOSURE; tried++) {
            if (isOpen(day)) {
                return day;
            }
            day = Dates.plusDays(day, 1);
        }
        throw new StoreException("the loft is closed for a year from " + Dates.iso(date));
    }

    /** Open days after the first date, up to and with the second. */
    public int openDaysBetween(Date from, Date to) {
        int open = 0;
        Date day = Dates.plusDays(from, 1);
        while (!day.after(to)) {
            if (isOpen(day)) {
                open++;
            }
            day = Dates.plusDays(day, 1);
        }
        return open;
    }

    private Set<Integer> closedDays() {
        Set<Integer> days = new HashSet<>();
        for (String name : Settings.getInstance().closedDays().split(",")) {
            if (!name.isBlank()) {
                days.add(dayOfWeek(name.strip().toLowerCase(Locale.ENGLISH)));
            }
        }
        return days;
    }

    private static int dayOfWeek(String name) {
        switch (name) {
            case "monday":
                return Calendar.MONDAY;
            case "tuesday":
                return Calendar.TUESDAY;
            case "wednesday":
                return Calendar.WEDNESDAY;
            case "thursday":
                return Calendar.THURSDAY;
            case "friday":
                return Calendar.FRIDAY;
            case "saturday":
                return Calendar.SATURDAY;
            case "sunday":
                return Calendar.SUNDAY;
            default:
                throw new StoreException(Settings.FILE + ": no day of the week: " + name);
        }
    }
}
