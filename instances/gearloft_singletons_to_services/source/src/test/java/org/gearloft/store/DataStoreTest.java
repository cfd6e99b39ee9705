package org.gearloft.store;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.gearloft.TestLoft;
import org.gearloft.model.Loan;
import org.gearloft.model.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataStoreTest {

    @TempDir
    Path folder;

    @Test
    void readsLoans() throws IOException {
        Files.writeString(folder.resolve("loans.txt"),
                "4|1|2|2024-03-01|2024-03-15||1\n5|2|2|2024-03-01|2024-03-08|2024-03-07|0\n");
        TestLoft.open(folder, TestLoft.NOW);
        Loan out = DataStore.getInstance().loans().get(0);
        Loan back = DataStore.getInstance().loans().get(1);
        assertTrue(out.isOut());
        assertFalse(back.isOut());
        assertEquals(date("2024-03-07"), back.getReturned());
        assertEquals(6, DataStore.nextId(DataStore.getInstance().loans(), Loan::getId));
    }

    @Test
    void writesWhatItRead() throws IOException {
        String text = "4|1|2|2024-03-01|2024-03-15||1\n5|2|2|2024-03-01|2024-03-08|2024-03-07|0\n";
        Files.writeString(folder.resolve("loans.txt"), text);
        TestLoft.open(folder, TestLoft.NOW);
        DataStore.getInstance().saveLoans();
        assertEquals(text, Files.readString(folder.resolve("loans.txt")));
    }

    @Test
    void tellsTheFileOfABadDate() throws IOException {
        Files.writeString(folder.resolve("members.txt"), "1|Ada|a@b|2024-03-01|2024-02-30\n");
        TestLoft.open(folder, TestLoft.NOW);
        StoreException told = assertThrows(
                StoreException.class, () -> DataStore.getInstance().members());
        assertEquals("members.txt: no such date: 2024-02-30", told.getMessage());
    }

    @Test
    void tellsTheFileOfABadNumber() throws IOException {
        Files.writeString(folder.resolve("accounts.txt"), "x|2024-03-01|50|late\n");
        TestLoft.open(folder, TestLoft.NOW);
        StoreException told = assertThrows(
                StoreException.class, () -> DataStore.getInstance().entries());
        assertEquals("accounts.txt: not a number: x", told.getMessage());
    }

    @Test
    void numbersBeginWithOne() {
        TestLoft.open(folder, TestLoft.NOW);
        assertEquals(1, DataStore.nextId(DataStore.getInstance().members(), Member::getId));
    }
}
