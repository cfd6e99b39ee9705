package org.gearloft.service;

import static org.gearloft.TestLoft.date;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;

import org.gearloft.LoftException;
import org.gearloft.TestLoft;
import org.gearloft.model.Member;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MembersTest {

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        TestLoft.open(folder, TestLoft.NOW);
    }

    private static String refusal(Runnable action) {
        return assertThrows(LoftException.class, action::run).getMessage();
    }

    @Test
    void joinForAYear() {
        Member ada = Members.getInstance().join("Ada", "ada@example.org", 12);
        assertEquals(1, ada.getId());
        assertEquals(date("2024-03-15"), ada.getJoined());
        assertEquals(date("2025-03-14"), ada.getUntil());
    }

    @Test
    void areKept() {
        Members.getInstance().join("Ada", "ada@example.org", 12);
        TestLoft.open(folder, TestLoft.NOW);
        assertEquals("Ada", Members.getInstance().find(1).getName());
        assertEquals("no member 2", refusal(() -> Members.getInstance().find(2)));
    }

    @Test
    void needAnAddressOfTheirOwn() {
        Members.getInstance().join("Ada", "ada@example.org", 12);
        assertEquals("member 1 has that address",
                refusal(() -> Members.getInstance().join("Bea", "ADA@example.org", 12)));
        assertEquals("not an e-mail address: bea",
                refusal(() -> Members.getInstance().join("Bea", "bea", 12)));
        assertEquals("a member needs a name",
                refusal(() -> Members.getInstance().join(" ", "bea@example.org", 12)));
    }

    @Test
    void joinForOneToSixtyMonths() {
        assertEquals("a membership lasts 1 to 60 months",
                refusal(() -> Members.getInstance().join("Ada", "ada@example.org", 0)));
        assertEquals("a membership lasts 1 to 60 months",
                refusal(() -> Members.getInstance().join("Ada", "ada@example.org", 61)));
    }

    @Test
    void extendFromTheEnd() {
        Members.getInstance().join("Ada", "ada@example.org", 12);
        assertEquals(date("2025-04-14"), Members.getInstance().extend(1, 1).getUntil());
    }

    @Test
    void extendFromTodayWhereTheMembershipEnded() {
        Members.getInstance().join("Ada", "ada@example.org", 12);
        TestLoft.open(folder, "2025-08-31 09:00");
        assertEquals(date("2025-09-29"), Members.getInstance().extend(1, 1).getUntil());
    }

    @Test
    void expireAfterTheLastDay() {
        Members.getInstance().join("Ada", "ada@example.org", 12);
        TestLoft.open(folder, "2025-03-14 23:59");
        assertEquals(List.of(), Members.getInstance().expired());
        TestLoft.open(folder, "2025-03-15 00:00");
        assertEquals(1, Members.getInstance().expired().size());
    }
}
