package org.waymark;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Collections;
import org.junit.Test;

public class TrackTest {
    private final Track equator =
            Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 1.001), Position.of(0, 3));

    @Test
    public void lengthIsTheSumOfLegs() {
        double whole = Sphere.EARTH.distance(Position.of(0, 0), Position.of(0, 3));
        assertEquals(whole, equator.length(Sphere.EARTH), 1e-6);
        assertEquals(0, Track.of(Position.of(1, 1)).length(Sphere.EARTH), 0);
    }

    @Test
    public void alongFindsTheLeg() {
        double half = equator.length(Sphere.EARTH) / 2;
        assertTrue(equator.along(Sphere.EARTH, half).isNear(Position.of(0, 1.5), 1e-9));
        assertEquals(Position.of(0, 3), equator.along(Sphere.EARTH, 1e9));
    }

    @Test(expected = IllegalStateException.class)
    public void anEmptyTrackLeadsNowhere() {
        new Track(Collections.<Position>emptyList()).along(Sphere.EARTH, 1);
    }

    @Test
    public void thinningDropsWhatIsClose() {
        Track thinned = equator.thinned(Sphere.EARTH, 1_000);
        assertEquals(
                Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 3)).positions(),
                thinned.positions());
    }

    @Test(expected = UnsupportedOperationException.class)
    public void positionsCannotBeChanged() {
        equator.positions().clear();
    }
}
