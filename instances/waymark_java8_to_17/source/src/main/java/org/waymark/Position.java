package org.waymark;

/** A point on the sphere, in degrees; longitude is kept in [-180, 180). */
public final class Position {
    private final double latitude;
    private final double longitude;

    private Position(double latitude, double longitude) {
        this.latitude = latitude;
        this.longitude = longitude;
    }

    /** A position; its longitude may be any number of turns away. */
    public static Position of(double latitude, double longitude) {
        if (!(latitude >= -90 && latitude <= 90)) {
            throw new IllegalArgumentException("latitude " + latitude + " is not in [-90, 90]");
        }
        if (Double.isNaN(longitude) || Double.isInfinite(longitude)) {
            throw new IllegalArgumentException("longitude " + longitude + " is no number");
        }
        return new Position(latitude, Angles.wrap(longitude));
    }

    public double latitude() {
        return latitude;
    }

    public double longitude() {
        return longitude;
    }

    /** The point on the other side of the sphere. */
    public Position antipode() {
        return of(-latitude, longitude + 180);
    }

    /** Are both within `tolerance` degrees of each other on both axes? */
    public boolean isNear(Position other, double tolerance) {
        return Math.abs(latitude - other.latitude) <= tolerance
                && Math.abs(Angles.wrap(longitude - other.longitude)) <= tolerance;
    }

    @Override
    public boolean equals(Object object) {
        if (!(object instanceof Position)) {
            return false;
        }
        Position other = (Position) object;
        return Double.compare(latitude, other.latitude) == 0
                && Double.compare(longitude, other.longitude) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * Double.hashCode(latitude) + Double.hashCode(longitude);
    }

    @Override
    public String toString() {
        return Sexagesimal.format(this);
    }
}
