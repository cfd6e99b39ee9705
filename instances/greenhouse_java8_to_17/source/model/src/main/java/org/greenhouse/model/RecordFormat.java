package org.greenhouse.model;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The logger's files: a record per line, {@code instant;code;value}; {@code #} begins a comment. */
public final class RecordFormat {
    private final List<String> refused = new ArrayList<>();

    /** The records of a file, ordered; lines that cannot be read are kept apart. */
    public List<record> read(Iterable<String> lines) {
        List<record> records = new ArrayList<>();
        for (String line : lines) {
            String text = line.trim();
            if (!text.isEmpty() && !text.startsWith("#")) {
                try {
                    records.add(parse(text));
                } catch (IllegalArgumentException _) {
                    refused.add(line);
                }
            }
        }
        Collections.sort(records);
        return records;
    }

    public List<String> refused() {
        return Collections.unmodifiableList(refused);
    }

    static record parse(String text) {
        String[] fields = text.split(";");
        if (fields.length != 3) {
            throw new IllegalArgumentException("not three fields: " + text);
        }
        try {
            return new record(
                    Instant.parse(fields[0]),
                    Quantity.ofCode(fields[1]),
                    Double.parseDouble(fields[2]));
        } catch (DateTimeParseException problem) {
            throw new IllegalArgumentException("no instant: " + fields[0], problem);
        }
    }
}
