package org.greenhouse.model;

/** A bed: its name, its crop and its area in square metres. */
public final class Bed {
    private final String name;
    private final Crop crop;
    private final double area;

    public Bed(String name, Crop crop, double area) {
        if (!(area > 0)) {
            throw new IllegalArgumentException("area " + area + " is not positive");
        }
        this.name = name;
        this.crop = crop;
        this.area = area;
    }

    public String name() {
        return name;
    }

    public Crop crop() {
        return crop;
    }

    public double area() {
        return area;
    }
}
