package org.waymark;

/**
 * Great circles on a sphere of a given radius in metres.
 *
 * <p>{@code strictfp}, so that stored distances are the same on every processor.
 */
public final strictfp class Sphere {
    /** The mean radius of the earth. */
    public static final Sphere EARTH = new Sphere(6_371_008.8);

    private final double radius;

    public Sphere(double radius) {
        if (!(radius > 0)) {
            throw new IllegalArgumentException("radius " + radius + " is not positive");
        }
        this.radius = radius;
    }

    /** Metres along the great circle, by the haversine formula. */
    public double distance(Position from, Position to) {
        double phi1 = Math.toRadians(from.latitude());
        double phi2 = Math.toRadians(to.latitude());
        double dPhi = Math.sin((phi2 - phi1) / 2);
        double dLambda = Math.sin(Math.toRadians(to.longitude() - from.longitude()) / 2);
        double a = dPhi * dPhi + Math.cos(phi1) * Math.cos(phi2) * dLambda * dLambda;
        return 2 * radius * Math.asin(Math.min(1, Math.sqrt(a)));
    }

    /** The initial bearing in degrees from north, in [0, 360). */
    public double bearing(Position from, Position to) {
        double phi1 = Math.toRadians(from.latitude());
        double phi2 = Math.toRadians(to.latitude());
        double dLambda = Math.toRadians(to.longitude() - from.longitude());
        double y = Math.sin(dLambda) * Math.cos(phi2);
        double x = Math.cos(phi1) * Math.sin(phi2)
                - Math.sin(phi1) * Math.cos(phi2) * Math.cos(dLambda);
        return Angles.compass(Math.toDegrees(Math.atan2(y, x)));
    }

    /** Where one arrives after so many metres on an initial bearing. */
    public Position destination(Position from, double bearing, double metres) {
        double delta = metres / radius;
        double theta = Math.toRadians(bearing);
        double phi = Math.toRadians(from.latitude());
        double sin = Math.sin(phi) * Math.cos(delta)
                + Math.cos(phi) * Math.sin(delta) * Math.cos(theta);
        double arrived = Math.asin(Math.max(-1, Math.min(1, sin)));
        double turned = Math.atan2(
                Math.sin(theta) * Math.sin(delta) * Math.cos(phi),
                Math.cos(delta) - Math.sin(phi) * Math.sin(arrived));
        return Position.of(Math.toDegrees(arrived), from.longitude() + Math.toDegrees(turned));
    }

    /** The point half way on the great circle. */
    public Position midpoint(Position from, Position to) {
        return destination(from, bearing(from, to), distance(from, to) / 2);
    }
}
