package org.gearloft.time;

import java.text.ParseException;
import java.text.SimpleDateFormat;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.regex.Pattern;

import org.gearloft.LoftException;
import org.gearloft.Settings;

/** Reads, writes and counts dates. A date is the midnight that its day begins with. */
public final class Dates {

    private static final long MILLIS_PER_DAY = 24L * 60 * 60 * 1000;
    private static final Pattern DATE = Pattern.compile("(?:19|20)\\d{2}-\\d{2}-\\d{2}");
    private static final Pattern MONTH = Pattern.compile("(?:19|20)\\d{2}-\\d{2}");
    private static final Pattern MOMENT =
            Pattern.compile("(?:19|20)\\d{2}-\\d{2}-\\d{2}[ T]\\d{2}:\\d{2}");

    private Dates() {
    }

    /** Reads a date such as 2024-03-15. */
    public static Date parse(String text) {
        if (DATE.matcher(text).matches()) {
            try {
                return format("yyyy-MM-dd").parse(text);
            } catch (ParseException e) {
                throw new LoftException("no such date: " + text, e);
            }
        }
        throw new LoftException("not a date (YYYY-MM-DD): " + text);
    }

    /** Reads a month such as 2024-03; the answer is its first day. */
    public static Date parseMonth(String text) {
        if (MONTH.matcher(text).matches()) {
            try {
                return format("yyyy-MM").parse(text);
            } catch (ParseException e) {
                throw new LoftException("no such month: " + text, e);
            }
        }
        throw new LoftException("not a month (YYYY-MM): " + text);
    }

    /** Reads a moment such as 2024-03-15 10:30. */
    public static Date parseMoment(String text) {
        if (MOMENT.matcher(text).matches()) {
            try {
                return format("yyyy-MM-dd HH:mm").parse(text.replace('T', ' '));
            } catch (ParseException e) {
                throw new LoftException("no such time: " + text, e);
            }
        }
        throw new LoftException("not a time (YYYY-MM-DD HH:MM): " + text);
    }

    /** As in 2024-03-15. */
    public static String iso(Date date) {
        return format("yyyy-MM-dd").format(date);
    }

    /** As in Fri 15 Mar 2024. */
    public static String display(Date date) {
        return format("EEE d MMM yyyy").format(date);
    }

    /** As in March 2024. */
    public static String month(Date date) {
        return format("MMMM yyyy").format(date);
    }

    /** As in 2024-03-15 10:30. */
    public static String moment(Date moment) {
        return format("yyyy-MM-dd HH:mm").format(moment);
    }

    /** The midnight before a moment. */
    public static Date midnight(Date moment) {
        Calendar calendar = calendar(moment);
        calendar.set(Calendar.HOUR_OF_DAY, 0);
        calendar.set(Calendar.MINUTE, 0);
        calendar.set(Calendar.SECOND, 0);
        calendar.set(Calendar.MILLISECOND, 0);
        return calendar.getTime();
    }

    public static Date plusDays(Date date, int days) {
        Calendar calendar = calendar(date);
        calendar.add(Calendar.DAY_OF_MONTH, days);
        return calendar.getTime();
    }

    /** The same day of a later month, or that month's last day where it is shorter. */
    public static Date plusMonths(Date date, int months) {
        Calendar calendar = calendar(date);
        calendar.add(Calendar.MONTH, months);
        return calendar.getTime();
    }

    /** Days from one date to another; clocks that change make days of 23 and 25 hours. */
    public static int daysBetween(Date from, Date to) {
        return (int) Math.round((to.getTime() - from.getTime()) / (double) MILLIS_PER_DAY);
    }

    /** Whole years from one date to another. */
    public static int yearsBetween(Date from, Date to) {
        Calendar start = calendar(from);
        Calendar end = calendar(to);
        int years = end.get(Calendar.YEAR) - start.get(Calendar.YEAR);
        int months = end.get(Calendar.MONTH) - start.get(Calendar.MONTH);
        int days = end.get(Calendar.DAY_OF_MONTH) - start.get(Calendar.DAY_OF_MONTH);
        return months < 0 || months == 0 && days < 0 ? years - 1 : years;
    }

    /** The week's number by ISO 8601. */
    public static int week(Date date) {
        Calendar calendar = calendar(date);
        calendar.setFirstDayOfWeek(Calendar.MONDAY);
        calendar.setMinimalDaysInFirstWeek(4);
        return calendar.get(Calendar.WEEK_OF_YEAR);
    }

    /** A calendar of the loft's own time zone, set to a date. */
    public static Calendar calendar(Date date) {
        Calendar calendar = new GregorianCalendar(
                Settings.getInstance().timeZone(), Locale.ENGLISH);
        calendar.setTime(date);
        return calendar;
    }

    private static SimpleDateFormat format(String pattern) {
        SimpleDateFormat format = new SimpleDateFormat(pattern, Locale.ENGLISH);
        format.setTimeZone(Settings.getInstance().timeZone());
        format.setLenient(false);
        return format;
    }
}
