package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.gearloft.model.Entry;
import org.gearloft.model.Loan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoanDeskTest {

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
    void lendsForAsLongAsTheCategorySays() {
        assertEquals(date("2024-03-29"), LoanDesk.getInstance().lend(1, 1, 0).getDue());
        assertEquals(date("2024-03-22"), LoanDesk.getInstance().lend(2, 1, 0).getDue());
    }

    @Test
    void toolsAreDueOnOpenDays() {
        assertEquals(date("2024-03-26"), LoanDesk.getInstance().lend(3, 1, 0).getDue());
        assertEquals(date("2024-03-19"), LoanDesk.getInstance().lend(4, 1, 2).getDue());
    }

    @Test
    void lendsNothingOnClosedDays() {
        TestLoft.open(folder, "2024-03-17 12:00");
        assertEquals("the loft is closed on Sun 17 Mar 2024",
                refusal(() -> LoanDesk.getInstance().lend(1, 1, 0)));
    }

    @Test
    void lendsNothingTwice() {
        LoanDesk.getInstance().lend(2, 1, 0);
        assertEquals("item 2 is out until 2024-03-22",
                refusal(() -> LoanDesk.getInstance().lend(2, 2, 0)));
    }

    @Test
    void lendsNothingToThoseWhoLeft() {
        TestLoft.open(folder, "2025-03-15 12:00");
        assertEquals("the membership ended on 2025-03-14",
                refusal(() -> LoanDesk.getInstance().lend(1, 1, 0)));
    }

    @Test
    void lendsThreeToolsAtMost() {
        LoanDesk.getInstance().lend(1, 1, 0);
        LoanDesk.getInstance().lend(2, 1, 0);
        LoanDesk.getInstance().lend(3, 1, 0);
        assertEquals("member 1 has 3 tools already",
                refusal(() -> LoanDesk.getInstance().lend(4, 1, 0)));
    }

    @Test
    void lendsNothingToThoseWhoAreLate() {
        LoanDesk.getInstance().lend(4, 1, 0);
        TestLoft.open(folder, "2024-03-21 12:00");
        assertEquals("item 4 is overdue since 2024-03-20",
                refusal(() -> LoanDesk.getInstance().lend(1, 1, 0)));
    }

    @Test
    void lendsNothingToThoseWhoOweTooMuch() {
        FineLedger.getInstance().charge(1, 1001, date("2024-03-15"), "broken");
        assertEquals("member 1 owes 10.01",
                refusal(() -> LoanDesk.getInstance().lend(1, 1, 0)));
    }

    @Test
    void lendsForFourWeeksAtMost() {
        assertEquals("a tool is lent for 1 to 28 days",
                refusal(() -> LoanDesk.getInstance().lend(1, 1, 29)));
    }

    @Test
    void takesBackInTime() {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-22 17:00");
        assertEquals(0, LoanDesk.getInstance().takeBack(2, date("2024-03-22")));
        assertNull(LoanDesk.getInstance().currentLoan(2));
    }

    @Test
    void takesBackLate() {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-28 17:00");
        assertEquals(200, LoanDesk.getInstance().takeBack(2, date("2024-03-28")));
        Entry entry = FineLedger.getInstance().entriesOf(1).get(0);
        assertEquals("item 2 late since 2024-03-22", entry.getNote());
    }

    @Test
    void takesNothingBackBeforeItWasLent() {
        LoanDesk.getInstance().lend(2, 1, 0);
        assertEquals("item 2 was lent on 2024-03-15",
                refusal(() -> LoanDesk.getInstance().takeBack(2, date("2024-03-14"))));
        assertEquals("not yet: 2024-03-16",
                refusal(() -> LoanDesk.getInstance().takeBack(2, date("2024-03-16"))));
        assertEquals("item 1 is not out",
                refusal(() -> LoanDesk.getInstance().takeBack(1, date("2024-03-15"))));
    }

    @Test
    void renewsFromTheDayThatItWasDue() {
        LoanDesk.getInstance().lend(2, 1, 0);
        Loan loan = LoanDesk.getInstance().renew(2);
        assertEquals(date("2024-03-29"), loan.getDue());
        assertEquals(1, loan.getRenewals());
    }

    @Test
    void renewsTwiceAtMost() {
        LoanDesk.getInstance().lend(2, 1, 0);
        LoanDesk.getInstance().renew(2);
        LoanDesk.getInstance().renew(2);
        assertEquals("item 2 was renewed 2 times",
                refusal(() -> LoanDesk.getInstance().renew(2)));
    }

    @Test
    void renewsNothingThatIsLate() {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-23 10:00");
        assertEquals("item 2 is overdue since 2024-03-22",
                refusal(() -> LoanDesk.getInstance().renew(2)));
    }

    @Test
    void renewsNothingThatOthersWaitFor() {
        LoanDesk.getInstance().lend(2, 1, 0);
        HoldQueue.getInstance().place(2, 2);
        assertEquals("others wait for item 2",
                refusal(() -> LoanDesk.getInstance().renew(2)));
    }

    @Test
    void remembersLoansInTheirOrder() {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-20 10:00");
        LoanDesk.getInstance().takeBack(2, date("2024-03-19"));
        LoanDesk.getInstance().lend(2, 2, 0);
        List<Loan> history = LoanDesk.getInstance().historyOf(2);
        assertEquals(date("2024-03-15"), history.get(0).getLent());
        assertEquals(date("2024-03-20"), history.get(1).getLent());
        assertEquals(1, LoanDesk.getInstance().current().size());
    }
}
