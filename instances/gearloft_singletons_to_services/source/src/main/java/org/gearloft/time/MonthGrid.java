package org.gearloft.time;

import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.List;

import org.gearloft.model.Closure;

/** A month as a grid of weeks, with the days on which the loft is closed in brackets. */
public final class MonthGrid {

    private final Date first;

    public MonthGrid(Date first) {
        this.first = first;
    }

    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(Dates.month(first));
        lines.add("Wk  Mon  Tue  Wed  Thu  Fri  Sat  Sun");
        Calendar calendar = Dates.calendar(first);
        int days = calendar.getActualMaximum(Calendar.DAY_OF_MONTH);
        int column = (calendar.get(Calendar.DAY_OF_WEEK) + 5) % 7;
        StringBuilder line = startOfWeek(first).append("     ".repeat(column));
        for (int day = 0; day < days; day++) {
            Date date = Dates.plusDays(first, day);
            if (day > 0 && column == 0) {
                lines.add(line.toString().stripTrailing());
                line = startOfWeek(date);
            }
            line.append(cell(date));
            column = (column + 1) % 7;
        }
        lines.add(line.toString().stripTrailing());
        for (int day = 0; day < days; day++) {
            Date date = Dates.plusDays(first, day);
            Closure closure = OpeningCalendar.getInstance().closureOn(date);
            if (closure != null) {
                lines.add(Dates.display(date) + ": " + closure.getReason());
            }
        }
        return lines;
    }

    private static StringBuilder startOfWeek(Date date) {
        return new StringBuilder(String.format("%2d ", Dates.week(date)));
    }

    private static String cell(Date date) {
        int number = Dates.calendar(date).get(Calendar.DAY_OF_MONTH);
        boolean open = OpeningCalendar.getInstance().isOpen(date);
        return String.format(open ? " %2d  " : "[%2d] ", number);
    }
}
