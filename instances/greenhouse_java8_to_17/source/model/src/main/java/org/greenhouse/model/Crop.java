package org.greenhouse.model;

/** What grows in a bed: kilogrammes per square metre at best, and the warmth that takes. */
public enum Crop {
    TOMATO(55, 22),
    CUCUMBER(70, 24),
    LETTUCE(12, 17);

    private final double best;
    private final double warmth;

    Crop(double best, double warmth) {
        this.best = best;
        this.warmth = warmth;
    }

    public double best() {
        return best;
    }

    public double warmth() {
        return warmth;
    }
}
