package org.gearloft.time;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.gearloft.Settings;
import org.gearloft.TestLoft;
import org.gearloft.store.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpeningCalendarTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws IOException {
        Files.writeString(folder.resolve("closures.txt"),
                "# Easter\n2024-03-29|2024-04-02|Easter\n");
        TestLoft.open(folder, TestLoft.NOW);
    }

    @Test
    void isClosedOnSundaysAndMondays() {
        assertTrue(OpeningCalendar.getInstance().isOpen(date("2024-03-16")));
        assertFalse(OpeningCalendar.getInstance().isOpen(date("2024-03-17")));
        assertFalse(OpeningCalendar.getInstance().isOpen(date("2024-03-18")));
    }

    @Test
    void isClosedOnTheDaysOfAClosure() {
        assertFalse(OpeningCalendar.getInstance().isOpen(date("2024-03-29")));
        assertFalse(OpeningCalendar.getInstance().isOpen(date("2024-04-02")));
        assertTrue(OpeningCalendar.getInstance().isOpen(date("2024-04-03")));
    }

    @Test
    void findsClosures() {
        assertEquals("Easter",
                OpeningCalendar.getInstance().closureOn(date("2024-03-30")).getReason());
        assertNull(OpeningCalendar.getInstance().closureOn(date("2024-03-28")));
    }

    @Test
    void findsTheNextOpenDay() {
        OpeningCalendar calendar = OpeningCalendar.getInstance();
        assertEquals(date("2024-03-19"), calendar.openOnOrAfter(date("2024-03-17")));
        assertEquals(date("2024-03-19"), calendar.openOnOrAfter(date("2024-03-19")));
        assertEquals(date("2024-04-03"), calendar.openOnOrAfter(date("2024-03-29")));
    }

    @Test
    void countsOpenDays() {
        OpeningCalendar calendar = OpeningCalendar.getInstance();
        assertEquals(0, calendar.openDaysBetween(date("2024-03-16"), date("2024-03-18")));
        assertEquals(4, calendar.openDaysBetween(date("2024-03-16"), date("2024-03-22")));
        assertEquals(0, calendar.openDaysBetween(date("2024-03-22"), date("2024-03-20")));
    }

    @Test
    void readsTheClosedDays() throws IOException {
        Files.writeString(folder.resolve(Settings.FILE), "closed = Wednesday , friday,\n");
        TestLoft.open(folder, TestLoft.NOW);
        assertFalse(OpeningCalendar.getInstance().isOpen(date("2024-03-20")));
        assertTrue(OpeningCalendar.getInstance().isOpen(date("2024-03-17")));
    }

    @Test
    void refusesDaysThatThereAreNot() throws IOException {
        Files.writeString(folder.resolve(Settings.FILE), "closed = caturday\n");
        TestLoft.open(folder, TestLoft.NOW);
        StoreException told = assertThrows(StoreException.class,
                () -> OpeningCalendar.getInstance().isOpen(date("2024-03-20")));
        assertEquals("loft.properties: no day of the week: caturday", told.getMessage());
    }

    @Test
    void givesUpOnAShedThatNeverOpens() throws IOException {
        Files.writeString(folder.resolve(Settings.FILE),
                "closed=monday,tuesday,wednesday,thursday,friday,saturday,sunday");
        TestLoft.open(folder, TestLoft.NOW);
        assertThrows(StoreException.class,
                () -> OpeningCalendar.getInstance().openOnOrAfter(date("2024-03-20")));
    }
}
