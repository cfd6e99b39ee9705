package org.waymark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Positions in the order they were passed. */
public final class Track {
    private final List<Position> positions;

    public Track(List<Position> positions) {
        this.positions = Collections.unmodifiableList(new ArrayList<>(positions));
    }

    public static Track of(Position... positions) {
        return new Track(Arrays.asList(positions));
    }

    public List<Position> positions() {
        return positions;
    }

    /** Metres over all legs. */
    public double length(Sphere sphere) {
        double metres = 0;
        for (int i = 1; i < positions.size(); i++) {
            metres += sphere.distance(positions.get(i - 1), positions.get(i));
        }
        return metres;
    }

    /** Where one is after so many metres; the last position when the track ends before. */
    public Position along(Sphere sphere, double metres) {
        if (positions.isEmpty()) {
            throw new IllegalStateException("the track is empty");
        }
        double left = metres;
        for (int i = 1; i < positions.size(); i++) {
            Position from = positions.get(i - 1);
            Position to = positions.get(i);
            double leg = sphere.distance(from, to);
            if (left <= leg) {
                return sphere.destination(from, sphere.bearing(from, to), left);
            }
            left -= leg;
        }
        return positions.get(positions.size() - 1);
    }

    /** Without the positions that lie closer than `metres` to the last one that is kept. */
    public Track thinned(Sphere sphere, double metres) {
        List<Position> kept = new ArrayList<>();
        for (Position position : positions) {
            if (kept.isEmpty()
                    || sphere.distance(kept.get(kept.size() - 1), position) >= metres) {
                kept.add(position);
            }
        }
        return new Track(kept);
    }
}
