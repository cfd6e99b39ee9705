package org.gearloft.cli;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

class ArgumentsTest {

    private static Arguments parse(String... words) {
        return new Arguments(List.of(words), Set.of("--on", "--days"), Set.of("--all"));
    }

    @Test
    void separatesOptionsFromPositions() {
        Arguments arguments = parse("1", "--days", "7", "Ada");
        assertEquals(2, arguments.size());
        assertEquals(1, arguments.number(0));
        assertEquals("Ada", arguments.text(1));
        assertEquals(7, arguments.number("--days", 0));
    }

    @Test
    void hasDefaults() {
        Arguments arguments = parse();
        assertEquals(3, arguments.number("--days", 3));
        assertEquals(date("2024-03-15"), arguments.date("--on", date("2024-03-15")));
        assertFalse(arguments.has("--all"));
    }

    @Test
    void readsDates() {
        Arguments arguments = parse("2024-02-29", "--on", "2024-03-01", "--all");
        assertEquals(date("2024-02-29"), arguments.date(0));
        assertEquals(date("2024-03-01"), arguments.date("--on", null));
        assertTrue(arguments.has("--all"));
    }

    @Test
    void refusesUnknownOptions() {
        UsageException told = assertThrows(UsageException.class, () -> parse("--of", "1"));
        assertEquals("unknown option --of", told.getMessage());
    }

    @Test
    void refusesOptionsWithoutValues() {
        UsageException told = assertThrows(UsageException.class, () -> parse("--days"));
        assertEquals("--days needs a value", told.getMessage());
    }

    @Test
    void countsPositions() {
        assertThrows(UsageException.class, () -> parse("1").expect(2, 2));
        assertThrows(UsageException.class, () -> parse("1", "2", "3").expect(1, 2));
        assertEquals(1, parse("1").expect(1, 1).size());
    }
}
