package org.gearloft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.gearloft.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

    @TempDir
    Path folder;

    private Settings settings(String text) throws IOException {
        Files.writeString(folder.resolve(Settings.FILE), text);
        Settings settings = Settings.getInstance();
        settings.configure(Map.of("GEARLOFT_DATA", folder.toString()));
        return settings;
    }

    @Test
    void hasDefaults() throws IOException {
        Settings settings = settings("");
        assertEquals("The Gearloft", settings.loftName());
        assertEquals(3, settings.maximumLoans());
        assertEquals("sunday,monday", settings.closedDays());
    }

    @Test
    void readsTheFile() throws IOException {
        Settings settings = settings("name = Old Mill\ngrace-days = 4\nmaximum-loans=1\n");
        assertEquals("Old Mill", settings.loftName());
        assertEquals(4, settings.graceDays());
        assertEquals(1, settings.maximumLoans());
    }

    @Test
    void refusesWordsForNumbers() throws IOException {
        Settings settings = settings("hold-days = many\n");
        StoreException told = assertThrows(StoreException.class, settings::holdDays);
        assertEquals("loft.properties: hold-days is no number: many", told.getMessage());
    }

    @Test
    void refusesNegativeNumbers() throws IOException {
        Settings settings = settings("debt-limit = -1\n");
        assertThrows(StoreException.class, settings::debtLimit);
    }

    @Test
    void knowsNoMomentWhereNoneIsGiven() throws IOException {
        assertNull(settings("").fixedNow());
    }

    @Test
    void namesAFolderWhereNoneIsGiven() throws IOException {
        Settings settings = settings("");
        settings.configure(Map.of("GEARLOFT_NOW", " 2024-03-15 10:30 "));
        assertEquals(Path.of("loft-data"), settings.dataFolder());
        assertEquals("2024-03-15 10:30", settings.fixedNow());
    }
}
