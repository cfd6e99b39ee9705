package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {

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
    void countsWhatHappenedInAMonth() {
        LoanDesk.getInstance().lend(2, 1, 0);
        LoanDesk.getInstance().lend(4, 2, 0);
        TestLoft.open(folder, "2024-03-28 17:00");
        LoanDesk.getInstance().takeBack(2, date("2024-03-28"));
        LoanDesk.getInstance().takeBack(4, date("2024-03-20"));
        FineLedger.getInstance().pay(1, 50);
        assertEquals(List.of("March 2024", "figure          value", "members joined  2",
                "tools lent      2", "tools returned  2", "of them late    1",
                "charged         2.00", "paid            0.50"),
                Reports.getInstance().month(date("2024-03-01")));
    }

    @Test
    void countsNothingOfOtherMonths() {
        LoanDesk.getInstance().lend(2, 1, 0);
        assertEquals("tools lent      0",
                Reports.getInstance().month(date("2024-04-01")).get(3));
    }

    @Test
    void countsDaysOfUse() {
        LoanDesk.getInstance().lend(2, 1, 0);
        TestLoft.open(folder, "2024-03-20 10:00");
        LoanDesk.getInstance().takeBack(2, date("2024-03-19"));
        List<String> lines = Reports.getInstance().usage(date("2024-03-11"), date("2024-03-20"));
        assertEquals("Mon 11 Mar 2024 to Wed 20 Mar 2024, 10 days", lines.get(0));
        assertEquals("power     1      1      5     50%", lines.get(3));
    }

    @Test
    void countsDaysOfUseWithinTheDatesAlone() {
        LoanDesk.getInstance().lend(1, 1, 0);
        TestLoft.open(folder, "2024-03-28 10:00");
        List<String> lines = Reports.getInstance().usage(date("2024-03-18"), date("2024-03-20"));
        assertEquals("hand      1      1      3     100%", lines.get(2));
        assertEquals("ends before it begins: 2024-03-17", refusal(() -> Reports.getInstance()
                .usage(date("2024-03-18"), date("2024-03-17"))));
    }

    @Test
    void listsWhatIsOverdueTheLongestFirst() {
        LoanDesk.getInstance().lend(2, 1, 0);
        LoanDesk.getInstance().lend(4, 2, 0);
        TestLoft.open(folder, "2024-03-28 10:00");
        assertEquals(List.of("Overdue on Thu 28 Mar 2024",
                "item         member  due         days  fine",
                "Long ladder  Ben     2024-03-20  8     4.50",
                "Drill        Ada     2024-03-22  6     2.00", "total 6.50"),
                Reports.getInstance().overdue());
    }

    @Test
    void tellsThatNothingIsOverdue() {
        assertEquals(List.of("Overdue on Fri 15 Mar 2024", "nothing"),
                Reports.getInstance().overdue());
    }
}
