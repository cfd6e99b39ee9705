package org.waymark;

/** Arithmetic on degrees. */
final class Angles {
    private Angles() {
    }

    /** The same angle in [-180, 180). */
    static double wrap(double degrees) {
        double turned = (degrees + 180) % 360;
        return (turned < 0 ? turned + 360 : turned) - 180;
    }

    /** The same angle in [0, 360). */
    static double compass(double degrees) {
        double turned = degrees % 360;
        return turned < 0 ? turned + 360 : turned;
    }
}
