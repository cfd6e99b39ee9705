package org.waymark.codec;

import static org.junit.Assert.assertEquals;

import org.junit.Test;
import org.waymark.Position;
import org.waymark.Track;

public class PolylineTest extends CodecContract<Track> {
    @Override
    protected Codec<Track> codec() {
        return new Polyline();
    }

    @Override
    protected Track sample() {
        return Track.of(
                Position.of(38.5, -120.2), Position.of(40.7, -120.95), Position.of(43.252, -126.453));
    }

    @Override
    protected String garbage() {
        return "_p~iF~ps|";
    }

    @Test
    public void knownPolyline() {
        assertEquals("_p~iF~ps|U_ulLnnqC_mqNvxq`@", codec().encode(sample()));
    }

    @Test
    public void nothingIsAnEmptyTrack() {
        assertEquals(0, codec().decode("").positions().size());
    }

    @Test
    public void decodedPositionsAreTheOriginals() {
        assertEquals(
                sample().positions().toString(),
                codec().decode("_p~iF~ps|U_ulLnnqC_mqNvxq`@").positions().toString());
    }
}
