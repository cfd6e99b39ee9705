package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.gearloft.model.Category;
import org.gearloft.model.Item;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueTest {

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
    void listsByCategory() {
        assertEquals(4, Catalogue.getInstance().list(null).size());
        List<Item> power = Catalogue.getInstance().list(Category.POWER);
        assertEquals(1, power.size());
        assertEquals("Drill", power.get(0).getName());
    }

    @Test
    void knowsTheAgeOfTools() {
        assertEquals(3, Catalogue.getInstance().age(Catalogue.getInstance().find(1)));
        assertEquals(2, Catalogue.getInstance().age(Catalogue.getInstance().find(2)));
        assertEquals(2, Catalogue.getInstance().age(Catalogue.getInstance().find(3)));
    }

    @Test
    void refusesToolsOfTheFuture() {
        assertEquals("not acquired yet: 2024-03-16", refusal(() -> Catalogue.getInstance()
                .add("Axe", Category.HAND, 100, date("2024-03-16"))));
        assertEquals("a tool needs a name", refusal(() -> Catalogue.getInstance()
                .add("", Category.HAND, 100, date("2024-03-15"))));
    }

    @Test
    void retiresATool() {
        Catalogue.getInstance().retire(1);
        TestLoft.open(folder, TestLoft.NOW);
        assertTrue(Catalogue.getInstance().find(1).isRetired());
        assertEquals("item 1 is retired already",
                refusal(() -> Catalogue.getInstance().retire(1)));
    }

    @Test
    void retiresNothingThatIsOut() {
        LoanDesk.getInstance().lend(2, 1, 0);
        assertEquals("item 2 is out until 2024-03-22",
                refusal(() -> Catalogue.getInstance().retire(2)));
    }

    @Test
    void importsLines() {
        List<Item> items = Catalogue.getInstance().importLines(List.of(
                "Rake;garden;12.50;2024-01-02", "", " Axe ; hand ; 30 "));
        assertEquals(2, items.size());
        assertEquals(5, items.get(0).getId());
        assertEquals(date("2024-01-02"), items.get(0).getAcquired());
        assertEquals("Axe", items.get(1).getName());
        assertEquals(date("2024-03-15"), items.get(1).getAcquired());
    }

    @Test
    void importsAllLinesOrNone() {
        assertEquals("line 2: no such category: toy", refusal(() -> Catalogue.getInstance()
                .importLines(List.of("Rake;garden;12.50", "Kite;toy;3"))));
        assertEquals("line 1: no such date: 2024-02-30", refusal(() -> Catalogue.getInstance()
                .importLines(List.of("Rake;garden;12.50;2024-02-30"))));
        assertEquals(4, Catalogue.getInstance().list(null).size());
    }
}
