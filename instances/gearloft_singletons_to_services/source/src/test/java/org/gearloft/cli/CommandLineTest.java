package org.gearloft.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

import org.gearloft.TestLoft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineTest {

    @TempDir
    Path folder;

    private String run(String... words) {
        return TestLoft.run(folder, TestLoft.NOW, "", words);
    }

    @Test
    void tellsItsVersion() {
        assertEquals("0\ngearloft 2.4\n", run("version"));
    }

    @Test
    void helpsThoseWhoSayNothing() {
        assertTrue(run().startsWith("0\nusage:\n  gearloft member add NAME"));
    }

    @Test
    void refusesUnknownCommands() {
        assertEquals("2\ngearloft: unknown command lend\ngearloft: see gearloft help\n",
                run("lend", "1"));
    }

    @Test
    void lendsAndTakesBack() {
        assertEquals("0\nmember 1 until Fri 14 Mar 2025\n",
                run("member", "add", "Ada", "ada@example.org"));
        assertEquals("0\nitem 1\n", run("item", "add", "Drill", "power", "99"));
        assertEquals("0\ndue Fri 22 Mar 2024\n", run("loan", "out", "1", "1"));
        assertEquals("0\nlate: 2.00\n", TestLoft.run(
                folder, "2024-03-28 16:00", "", "loan", "back", "1"));
    }

    @Test
    void tellsWhyNot() {
        assertEquals("1\ngearloft: no item 7\n", run("item", "show", "7"));
    }

    @Test
    void readsInput() {
        assertEquals("0\n2 items added\n", TestLoft.run(folder, TestLoft.NOW,
                "Rake;garden;12\nAxe;hand;30\n", "item", "import"));
    }

    @Test
    void refusesAMomentThatThereIsNot() {
        assertEquals("1\ngearloft: not a time (YYYY-MM-DD HH:MM): noon\n",
                TestLoft.run(folder, "noon", "", "version"));
    }
}
