package org.waymark.codec;

import org.waymark.Position;

/** Positions as geohashes of a given number of characters. */
public final class Geohash implements Codec<Position> {
    private static final String ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz";

    private final int length;

    public Geohash(int length) {
        if (length < 1 || length > 12) {
            throw new IllegalArgumentException("length " + length + " is not in [1, 12]");
        }
        this.length = length;
    }

    @Override
    public String encode(Position position) {
        double[] latitudes = {-90, 90};
        double[] longitudes = {-180, 180};
        StringBuilder text = new StringBuilder(length);
        boolean even = true;
        while (text.length() < length) {
            int index = 0;
            for (int bit = 0; bit < 5; bit++) {
                double value = even ? position.longitude() : position.latitude();
                index = 2 * index + (halve(even ? longitudes : latitudes, value) ? 1 : 0);
                even = !even;
            }
            text.append(ALPHABET.charAt(index));
        }
        return text.toString();
    }

    private static boolean halve(double[] range, double value) {
        double middle = (range[0] + range[1]) / 2;
        boolean upper = value >= middle;
        range[upper ? 0 : 1] = middle;
        return upper;
    }

    /** The middle of the cell. */
    @Override
    public Position decode(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("empty geohash");
        }
        double[] latitudes = {-90, 90};
        double[] longitudes = {-180, 180};
        boolean even = true;
        for (char character : text.toCharArray()) {
            int index = ALPHABET.indexOf(character);
            if (index < 0) {
                throw new IllegalArgumentException("no geohash: " + text);
            }
            for (int bit = 4; bit >= 0; bit--) {
                double[] range = even ? longitudes : latitudes;
                range[(index >> bit & 1) == 1 ? 0 : 1] = (range[0] + range[1]) / 2;
                even = !even;
            }
        }
        return Position.of(
                (latitudes[0] + latitudes[1]) / 2, (longitudes[0] + longitudes[1]) / 2);
    }
}
