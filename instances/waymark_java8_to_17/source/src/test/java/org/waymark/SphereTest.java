package org.waymark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExpectedException;

public class SphereTest {
    @Rule
    public final ExpectedException thrown = ExpectedException.none();

    private Position paris;
    private Position london;

    @Before
    public void cities() {
        paris = Position.of(48.8566, 2.3522);
        london = Position.of(51.5074, -0.1278);
    }

    @Test
    public void aQuarterOfTheEquator() {
        double quarter = Sphere.EARTH.distance(Position.of(0, 0), Position.of(0, 90));
        assertEquals(10_007_557, quarter, 1);
    }

    @Test
    public void distanceIsSymmetric() {
        double there = Sphere.EARTH.distance(paris, london);
        assertEquals(343_556, there, 500);
        assertEquals(there, Sphere.EARTH.distance(london, paris), 1e-6);
    }

    @Test
    public void bearingsGoClockwiseFromNorth() {
        Position origin = Position.of(0, 0);
        assertEquals(0, Sphere.EARTH.bearing(origin, Position.of(1, 0)), 1e-9);
        assertEquals(90, Sphere.EARTH.bearing(origin, Position.of(0, 1)), 1e-9);
        assertEquals(180, Sphere.EARTH.bearing(origin, Position.of(-1, 0)), 1e-9);
        assertEquals(270, Sphere.EARTH.bearing(origin, Position.of(0, -1)), 1e-9);
    }

    @Test
    public void destinationUndoesDistanceAndBearing() {
        double metres = Sphere.EARTH.distance(paris, london);
        double bearing = Sphere.EARTH.bearing(paris, london);
        assertTrue(Sphere.EARTH.destination(paris, bearing, metres).isNear(london, 1e-9));
    }

    @Test
    public void theMidpointIsAsFarFromBoth() {
        Position middle = Sphere.EARTH.midpoint(paris, london);
        double from = Sphere.EARTH.distance(paris, middle);
        assertEquals(from, Sphere.EARTH.distance(middle, london), 1e-6);
    }

    @Test
    public void aRadiusIsPositive() {
        thrown.expect(IllegalArgumentException.class);
        thrown.expectMessage("radius");
        new Sphere(0);
    }
}
