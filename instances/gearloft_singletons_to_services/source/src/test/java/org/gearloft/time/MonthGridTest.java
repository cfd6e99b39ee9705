package org.gearloft.time;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.gearloft.TestLoft;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MonthGridTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() throws IOException {
        Files.writeString(folder.resolve("closures.txt"), "2024-05-04|2024-05-04|Fair\n");
        TestLoft.open(folder, TestLoft.NOW);
    }

    @Test
    void bracketsClosedDays() {
        List<String> lines = new MonthGrid(date("2024-05-01")).lines();
        assertEquals("May 2024", lines.get(0));
        assertEquals("18             1    2    3  [ 4] [ 5]", lines.get(2));
        assertEquals("Sat 4 May 2024: Fair", lines.get(lines.size() - 1));
    }

    @Test
    void numbersTheWeeksOfAYearsEnd() {
        List<String> lines = new MonthGrid(date("2021-01-01")).lines();
        assertEquals("53                       1    2  [ 3]", lines.get(2));
        assertEquals(" 1 [ 4]   5    6    7    8    9  [10]", lines.get(3));
    }

    @Test
    void hasARowForEachWeek() {
        assertEquals(2 + 4, new MonthGrid(date("2021-02-01")).lines().size());
        assertEquals(2 + 6, new MonthGrid(date("2023-10-01")).lines().size());
    }
}
