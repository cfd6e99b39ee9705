package org.greenhouse.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RecordFormatTest {
    private final RecordFormat format = new RecordFormat();

    @Test
    void recordsAreOrdered() {
        List<record> records = format.read(Arrays.asList(
                "2024-05-01T12:00:00Z;T;21.5",
                "2024-05-01T06:00:00Z;H;80",
                "2024-05-01T06:00:00Z;T;15"));
        assertEquals(
                Arrays.asList(15.0, 80.0, 21.5),
                Arrays.asList(
                        records.get(0).value(), records.get(1).value(), records.get(2).value()));
    }

    @Test
    void whatIsWrittenCanBeRead() {
        record written = new record(Instant.EPOCH, Quantity.LIGHT, 1200);
        assertEquals(written, RecordFormat.parse(written.toString()));
        assertEquals(written.hashCode(), RecordFormat.parse(written.toString()).hashCode());
    }

    @Test
    void aRecordIsWhole() {
        assertThrows(
                IllegalArgumentException.class, () -> new record(null, Quantity.LIGHT, 1));
    }

    @Nested
    class Lines {
        @Test
        void commentsAreSkipped() {
            assertTrue(format.read(Arrays.asList("# noon", "", "  ")).isEmpty());
            assertTrue(format.refused().isEmpty());
        }

        @Test
        void badLinesAreKeptApart() {
            List<String> bad = Arrays.asList(
                    "yesterday;T;1", "2024-05-01T12:00:00Z;X;1", "2024-05-01T12:00:00Z;H;200", "x");
            assertEquals(Collections.emptyList(), format.read(bad));
            assertEquals(bad, format.refused());
        }
    }
}
