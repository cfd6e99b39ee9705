package org.gearloft;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Date;
import java.util.Map;

import org.gearloft.cli.CommandLine;
import org.gearloft.cli.Console;
import org.gearloft.model.Category;
import org.gearloft.service.Catalogue;
import org.gearloft.service.Members;
import org.gearloft.store.DataStore;
import org.gearloft.time.Dates;
import org.gearloft.time.Today;

/** A loft in a folder of a test's own, at a moment of its choice. */
public final class TestLoft {

    /** A Friday. */
    public static final String NOW = "2024-03-15 10:30";

    private TestLoft() {
    }

    /** Opens the loft of a folder, or opens it again at another moment. */
    public static void open(Path folder, String now) {
        Settings.getInstance().configure(Map.of("GEARLOFT_DATA", folder.toString()));
        DataStore.getInstance().reset();
        Today.getInstance().fix(now);
    }

    /** Opens a loft with the members Ada (1) and Ben (2) and one tool of each category. */
    public static void openWithTools(Path folder) {
        open(folder, NOW);
        Members.getInstance().join("Ada", "ada@example.org", 12);
        Members.getInstance().join("Ben", "ben@example.org", 12);
        Catalogue catalogue = Catalogue.getInstance();
        catalogue.add("Saw", Category.HAND, 1800, date("2020-05-01"));
        catalogue.add("Drill", Category.POWER, 9900, date("2021-03-16"));
        catalogue.add("Shears", Category.GARDEN, 2500, date("2022-03-15"));
        catalogue.add("Long ladder", Category.LADDER, 15000, date("2023-10-01"));
    }

    public static Date date(String text) {
        return Dates.parse(text);
    }

    /** Runs one command; the answer is its exit status and what it printed. */
    public static String run(Path folder, String now, String input, String... words) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(printed, true, StandardCharsets.UTF_8);
        Console console = new Console(
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), stream, stream);
        int status = CommandLine.getInstance().run(words,
                Map.of("GEARLOFT_DATA", folder.toString(), "GEARLOFT_NOW", now), console);
        return status + "\n" + printed.toString(StandardCharsets.UTF_8);
    }
}
