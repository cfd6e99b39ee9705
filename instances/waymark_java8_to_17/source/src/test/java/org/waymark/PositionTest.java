package org.waymark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class PositionTest {
    @Test
    public void longitudesAreWrapped() {
        assertEquals(-170, Position.of(0, 190).longitude(), 0);
        assertEquals(-180, Position.of(0, 180).longitude(), 0);
        assertEquals(10, Position.of(0, -710).longitude(), 1e-9);
    }

    @Test(expected = IllegalArgumentException.class)
    public void latitudesEndAtThePoles() {
        Position.of(90.1, 0);
    }

    @Test(expected = IllegalArgumentException.class)
    public void notANumberIsNoLongitude() {
        Position.of(0, Double.NaN);
    }

    @Test
    public void equalByValue() {
        assertEquals(Position.of(1, 2), Position.of(1, 362));
        assertEquals(Position.of(1, 2).hashCode(), Position.of(1, 362).hashCode());
        assertNotEquals(Position.of(1, 2), Position.of(2, 1));
    }

    @Test
    public void theAntipodeOfTheAntipodeIsThePosition() {
        Position position = Position.of(48.5, 2.25);
        assertEquals(Position.of(-48.5, -177.75), position.antipode());
        assertEquals(position, position.antipode().antipode());
    }

    @Test
    public void nearnessKnowsTheDateLine() {
        assertTrue(Position.of(0, 179.99).isNear(Position.of(0, -179.99), 0.05));
        assertFalse(Position.of(0, 179.9).isNear(Position.of(0, -179.9), 0.05));
    }
}
