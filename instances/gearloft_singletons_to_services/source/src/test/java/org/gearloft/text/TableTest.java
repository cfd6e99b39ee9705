package org.gearloft.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void columnsAreAsWideAsTheWidestCell() {
        Table table = new Table("id", "name").row(1, "a").row(1000, "b");
        assertEquals(List.of("id    name", "1     a", "1000  b"), table.lines());
    }

    @Test
    void isEmptyWithHeadingsAlone() {
        assertTrue(new Table("id").isEmpty());
    }

    @Test
    void refusesRowsOfAnotherLength() {
        Table table = new Table("id", "name");
        assertThrows(IllegalArgumentException.class, () -> table.row(1));
    }
}
