package org.gearloft.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.gearloft.Settings;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** What was done and when, one line each. */
public final class Journal {

    private static Journal instance;

    private Journal() {
    }

    public static synchronized Journal getInstance() {
        if (instance == null) {
            instance = new Journal();
        }
        return instance;
    }

    public void note(String event) {
        Path path = path();
        String line = Dates.moment(Today.getInstance().now()) + " " + event + "\n";
        try {
            Files.createDirectories(path.getParent());
            Files.writeString(path, line, StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new StoreException("cannot write " + path, e);
        }
    }

    /** The last lines, oldest first. */
    public List<String> last(int count) {
        Path path = path();
        if (!Files.exists(path)) {
            return new ArrayList<>();
        }
        try {
            List<String> lines = Files.readAllLines(path, StandardCharsets.UTF_8);
            return lines.subList(Math.max(0, lines.size() - count), lines.size());
        } catch (IOException e) {
            throw new StoreException("cannot read " + path, e);
        }
    }

    private static Path path() {
        return Settings.getInstance().dataFolder().resolve("journal.log");
    }
}
