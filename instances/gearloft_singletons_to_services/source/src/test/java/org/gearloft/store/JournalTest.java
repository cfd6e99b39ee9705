package org.gearloft.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.TestLoft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    @TempDir
    Path folder;

    @Test
    void isEmptyAtFirst() {
        TestLoft.open(folder, TestLoft.NOW);
        assertEquals(List.of(), Journal.getInstance().last(5));
    }

    @Test
    void tellsWhenThingsHappened() {
        TestLoft.open(folder, TestLoft.NOW);
        Journal.getInstance().note("one");
        Journal.getInstance().note("two");
        TestLoft.open(folder, "2024-07-01 23:59");
        Journal.getInstance().note("three");
        assertEquals(List.of("2024-03-15 10:30 two", "2024-07-01 23:59 three"),
                Journal.getInstance().last(2));
    }
}
