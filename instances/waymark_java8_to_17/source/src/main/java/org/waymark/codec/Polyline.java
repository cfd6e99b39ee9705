package org.waymark.codec;

import java.util.ArrayList;
import java.util.List;
import org.waymark.Position;
import org.waymark.Track;

/** Tracks as encoded polylines with five decimal places. */
public final class Polyline implements Codec<Track> {
    private static final double PRECISION = 1e5;

    @Override
    public String encode(Track track) {
        StringBuilder text = new StringBuilder();
        long latitude = 0;
        long longitude = 0;
        for (Position position : track.positions()) {
            long nextLatitude = Math.round(position.latitude() * PRECISION);
            long nextLongitude = Math.round(position.longitude() * PRECISION);
            append(text, nextLatitude - latitude);
            append(text, nextLongitude - longitude);
            latitude = nextLatitude;
            longitude = nextLongitude;
        }
        return text.toString();
    }

    private static void append(StringBuilder text, long delta) {
        long rest = delta < 0 ? ~(delta << 1) : delta << 1;
        while (rest >= 0x20) {
            text.append((char) ((0x20 | rest & 0x1f) + 63));
            rest >>= 5;
        }
        text.append((char) (rest + 63));
    }

    @Override
    public Track decode(String text) {
        List<Position> positions = new ArrayList<>();
        Reader reader = new Reader(text);
        long latitude = 0;
        long longitude = 0;
        while (reader.hasMore()) {
            latitude += reader.next();
            longitude += reader.next();
            positions.add(Position.of(latitude / PRECISION, longitude / PRECISION));
        }
        return new Track(positions);
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        boolean hasMore() {
            return at < text.length();
        }

        long next() {
            long value = 0;
            for (int shift = 0; hasMore() && shift < 60; shift += 5) {
                int chunk = text.charAt(at++) - 63;
                if (chunk < 0 || chunk > 0x3f) {
                    break;
                }
                value |= (long) (chunk & 0x1f) << shift;
                if (chunk < 0x20) {
                    return (value & 1) == 1 ? ~(value >> 1) : value >> 1;
                }
            }
            throw new IllegalArgumentException("no polyline: " + text);
        }
    }
}
