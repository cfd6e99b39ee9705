package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.gearloft.model.Closure;
import org.gearloft.model.Loan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClosuresTest {

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
    void giveLoansMoreTime() {
        LoanDesk.getInstance().lend(2, 1, 0);
        List<Loan> moved = Closures.getInstance().add(
                date("2024-03-20"), date("2024-03-24"), "Flood");
        assertEquals(1, moved.size());
        assertEquals(date("2024-03-26"), moved.get(0).getDue());
        assertEquals(0, moved.get(0).getRenewals());
    }

    @Test
    void doNotOverlap() {
        Closures.getInstance().add(date("2024-03-20"), date("2024-03-24"), "Flood");
        assertEquals("closed already: Flood", refusal(() -> Closures.getInstance()
                .add(date("2024-03-24"), date("2024-03-25"), "Fair")));
    }

    @Test
    void lieAhead() {
        assertEquals("in the past: 2024-03-14", refusal(() -> Closures.getInstance()
                .add(date("2024-03-14"), date("2024-03-25"), "Fair")));
        assertEquals("ends before it begins: 2024-03-24", refusal(() -> Closures.getInstance()
                .add(date("2024-03-25"), date("2024-03-24"), "Fair")));
    }

    @Test
    void areListedInOrderUntilTheyAreOver() {
        Closures.getInstance().add(date("2024-08-01"), date("2024-08-20"), "Summer");
        Closures.getInstance().add(date("2024-03-20"), date("2024-03-24"), "Flood");
        List<Closure> closures = Closures.getInstance().upcoming();
        assertEquals("Flood", closures.get(0).getReason());
        TestLoft.open(folder, "2024-03-25 08:00");
        assertEquals(1, Closures.getInstance().upcoming().size());
    }
}
