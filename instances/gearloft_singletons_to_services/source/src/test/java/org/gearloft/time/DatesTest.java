package org.gearloft.time;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.gearloft.LoftException;
import org.junit.jupiter.api.Test;

class DatesTest {

    @Test
    void writesWhatItReads() {
        assertEquals("2024-02-29", Dates.iso(Dates.parse("2024-02-29")));
    }

    @Test
    void refusesDaysThatThereAreNot() {
        LoftException told = assertThrows(LoftException.class, () -> Dates.parse("2023-02-29"));
        assertEquals("no such date: 2023-02-29", told.getMessage());
    }

    @Test
    void refusesOtherForms() {
        for (String text : new String[] {"", "2024-3-1", "15.03.2024", "2024-03-15 "}) {
            assertThrows(LoftException.class, () -> Dates.parse(text), text);
        }
    }

    @Test
    void readsMonths() {
        assertEquals(date("2024-03-01"), Dates.parseMonth("2024-03"));
        assertThrows(LoftException.class, () -> Dates.parseMonth("2024-13"));
        assertThrows(LoftException.class, () -> Dates.parseMonth("March"));
    }

    @Test
    void readsMoments() {
        assertEquals("2024-03-15 10:30", Dates.moment(Dates.parseMoment("2024-03-15T10:30")));
    }

    @Test
    void refusesHoursThatThereAreNot() {
        LoftException told = assertThrows(
                LoftException.class, () -> Dates.parseMoment("2024-03-15 24:00"));
        assertEquals("no such time: 2024-03-15 24:00", told.getMessage());
    }

    @Test
    void displaysTheDayOfTheWeek() {
        assertEquals("Fri 15 Mar 2024", Dates.display(date("2024-03-15")));
        assertEquals("March 2024", Dates.month(date("2024-03-15")));
    }

    @Test
    void addsDaysWhereClocksChange() {
        assertEquals(date("2024-04-01"), Dates.plusDays(date("2024-03-30"), 2));
        assertEquals(date("2024-10-26"), Dates.plusDays(date("2024-10-28"), -2));
    }

    @Test
    void staysInTheMonth() {
        assertEquals(date("2024-02-29"), Dates.plusMonths(date("2024-01-31"), 1));
        assertEquals(date("2025-01-15"), Dates.plusMonths(date("2024-11-15"), 2));
    }

    @Test
    void countsDaysWhereClocksChange() {
        assertEquals(2, Dates.daysBetween(date("2024-03-30"), date("2024-04-01")));
        assertEquals(2, Dates.daysBetween(date("2024-10-26"), date("2024-10-28")));
        assertEquals(-366, Dates.daysBetween(date("2025-01-01"), date("2024-01-01")));
    }

    @Test
    void countsWholeYears() {
        assertEquals(2, Dates.yearsBetween(date("2021-03-16"), date("2024-03-15")));
        assertEquals(3, Dates.yearsBetween(date("2021-03-15"), date("2024-03-15")));
        assertEquals(0, Dates.yearsBetween(date("2023-10-01"), date("2024-03-15")));
    }

    @Test
    void numbersWeeks() {
        assertEquals(53, Dates.week(date("2021-01-03")));
        assertEquals(1, Dates.week(date("2024-12-30")));
    }
}
