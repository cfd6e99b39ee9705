package org.gearloft.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordFileTest {

    @TempDir
    Path folder;

    @Test
    void readsWhatItWrote() {
        List<List<String>> records = List.of(List.of("a|b", "c\\d"), List.of("", "e"));
        RecordFile file = new RecordFile(folder.resolve("new/records.txt"));
        file.write(records);
        assertEquals(records, file.read(2));
    }

    @Test
    void hasNothingWithoutAFile() {
        assertEquals(List.of(), new RecordFile(folder.resolve("records.txt")).read(2));
    }

    @Test
    void skipsComments() throws IOException {
        Path path = folder.resolve("records.txt");
        Files.writeString(path, "# first\n\na|b\n");
        assertEquals(List.of(List.of("a", "b")), new RecordFile(path).read(2));
    }

    @Test
    void tellsTheLineThatIsWrong() throws IOException {
        Path path = folder.resolve("records.txt");
        Files.writeString(path, "# first\na|b|c\n");
        StoreException told = assertThrows(
                StoreException.class, () -> new RecordFile(path).read(2));
        assertEquals("records.txt:2: 3 fields instead of 2", told.getMessage());
    }
}
