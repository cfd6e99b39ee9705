package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.gearloft.TestLoft;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NoticeWriterTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        TestLoft.openWithTools(folder);
    }

    @Test
    void writesNothingWithoutNews() {
        assertEquals(List.of(), NoticeWriter.getInstance().write(folder.resolve("letters")));
    }

    @Test
    void remindsOfWhatIsDueSoon() throws IOException {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-20 10:00");
        List<Path> files = NoticeWriter.getInstance().write(folder.resolve("letters"));
        assertEquals(List.of(folder.resolve("letters/2024-03-20-member-001.txt")), files);
        assertEquals("The Gearloft\nWed 20 Mar 2024\nTo: ada@example.org\n\nDear Ada,\n\n"
                + "- Drill is due on Fri 22 Mar 2024.\n", Files.readString(files.get(0)));
    }

    @Test
    void asksForWhatIsLate() throws IOException {
        LoanDesk.getInstance().lend(2, 1, 0);
        FineLedger.getInstance().charge(1, 120, date("2024-03-15"), "broken");
        TestLoft.open(folder, "2024-03-28 10:00");
        Path letter = NoticeWriter.getInstance().write(folder.resolve("letters")).get(0);
        assertTrue(Files.readString(letter).endsWith(
                "- Drill was due on Fri 22 Mar 2024. Until today this costs 2.00.\n"
                        + "- You owe 1.20.\n"));
    }

    @Test
    void tellsWhatIsKept() throws IOException {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        Path letter = NoticeWriter.getInstance().write(folder.resolve("letters")).get(0);
        assertTrue(Files.readString(letter).contains(
                "- Drill is kept for you until Wed 20 Mar 2024.\n"));
    }

    @Test
    void tellsThatAMembershipEnds() throws IOException {
        TestLoft.open(folder, "2025-03-01 10:00");
        List<Path> files = NoticeWriter.getInstance().write(folder.resolve("letters"));
        assertEquals(2, files.size());
        assertTrue(Files.readString(files.get(1)).contains(
                "- Your membership ends on Fri 14 Mar 2025.\n"));
    }
}
