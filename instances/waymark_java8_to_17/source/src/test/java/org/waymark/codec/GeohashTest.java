package org.waymark.codec;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;
import org.waymark.Position;

public class GeohashTest extends CodecContract<Position> {
    @Override
    protected Codec<Position> codec() {
        return new Geohash(9);
    }

    @Override
    protected Position sample() {
        return Position.of(57.64911, 10.40744);
    }

    @Override
    protected String garbage() {
        return "u4a";
    }

    @Test
    public void knownHash() {
        assertEquals("u4pruydqqvj", new Geohash(11).encode(sample()));
    }

    @Test
    public void longerHashesAreCloser() {
        Position coarse = codec().decode("u4pr");
        Position fine = codec().decode("u4pruydqqvj");
        assertTrue(fine.isNear(sample(), 1e-5));
        assertTrue(coarse.isNear(sample(), 0.2));
    }

    @Test(expected = IllegalArgumentException.class)
    public void lengthIsBounded() {
        new Geohash(13);
    }
}
