package org.waymark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.fail;

import org.junit.Test;

public class SexagesimalProblemsTest {
    @Test
    public void minutesAndSecondsMayBeLeftOut() {
        assertEquals(Position.of(48.5, -2), Sexagesimal.parse(" 48°30'N, 2°W "));
    }

    @Test
    public void anythingElseIsNoPosition() {
        for (String text : new String[] {"", "north", "48°N", "48°61'N 2°E", "91°N 0°E"}) {
            try {
                Sexagesimal.parse(text);
            } catch (IllegalArgumentException expected) {
                continue;
            }
            fail("read: " + text);
        }
    }
}
