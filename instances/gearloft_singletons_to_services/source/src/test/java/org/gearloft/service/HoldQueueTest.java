package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.Settings;
import org.gearloft.TestLoft;
import org.gearloft.model.Hold;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HoldQueueTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        TestLoft.openWithTools(folder);
    }

    private static String refusal(Runnable action) {
        return assertThrows(LoftException.class, action::run).getMessage();
    }

    @Test
    void nobodyWaitsForWhatIsThere() {
        assertEquals("item 1 is available",
                refusal(() -> HoldQueue.getInstance().place(1, 1)));
    }

    @Test
    void nobodyWaitsForWhatTheyHave() {
        LoanDesk.getInstance().lend(2, 1, 0);
        assertEquals("member 1 has item 2",
                refusal(() -> HoldQueue.getInstance().place(2, 1)));
    }

    @Test
    void nobodyWaitsTwice() {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        assertEquals("member 2 waits for item 2",
                refusal(() -> HoldQueue.getInstance().place(2, 2)));
    }

    @Test
    void keepsWhatComesBackForTheFirst() {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        Hold hold = HoldQueue.getInstance().readyFor(2);
        assertEquals(2, hold.getMemberId());
        assertEquals(date("2024-03-20"), hold.getKeptUntil());
        assertEquals("item 2 is kept for member 2 until 2024-03-20",
                refusal(() -> LoanDesk.getInstance().lend(2, 1, 0)));
    }

    @Test
    void keepsUntilAnOpenDay() throws IOException {
        Files.writeString(folder.resolve(Settings.FILE), "hold-days = 2\n");
        TestLoft.open(folder, TestLoft.NOW);
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        assertEquals(date("2024-03-19"), HoldQueue.getInstance().readyFor(2).getKeptUntil());
    }

    @Test
    void endsWithTheLoan() {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        LoanDesk.getInstance().lend(2, 2, 0);
        assertEquals(List.of(), HoldQueue.getInstance().all());
    }

    @Test
    void sweepsWhatNobodyFetched() {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        TestLoft.open(folder, "2024-03-20 18:00");
        assertEquals(List.of(), HoldQueue.getInstance().sweep());
        TestLoft.open(folder, "2024-03-21 00:00");
        assertEquals(1, HoldQueue.getInstance().sweep().size());
        assertEquals(List.of(), HoldQueue.getInstance().all());
    }

    @Test
    void offersTheNextWhatWasSweptOrCancelled() {
        Members.getInstance().join("Cem", "cem@example.org", 12);
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        HoldQueue.getInstance().place(2, 3);
        LoanDesk.getInstance().takeBack(2, date("2024-03-15"));
        HoldQueue.getInstance().cancel(1);
        assertEquals(3, HoldQueue.getInstance().readyFor(2).getMemberId());
        assertEquals("no hold 1", refusal(() -> HoldQueue.getInstance().cancel(1)));
    }
}
