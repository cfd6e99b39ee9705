package org.greenhouse.model;

/** What a sensor measures, with the range of values that can be true. */
public enum Quantity {
    TEMPERATURE("T", -40, 80),
    HUMIDITY("H", 0, 100),
    CARBON_DIOXIDE("C", 0, 10_000),
    LIGHT("L", 0, 200_000);

    private final String code;
    private final double least;
    private final double most;

    Quantity(String code, double least, double most) {
        this.code = code;
        this.least = least;
        this.most = most;
    }

    public String code() {
        return code;
    }

    /** The value, if a sensor can have meant it. */
    public double checked(double value) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    value + " is no " + name() + ": " + least + " to " + most);
        }
        return value;
    }

    public static Quantity ofCode(String code) {
        for (Quantity each : values()) {
            if (each.code.equals(code)) {
                return each;
            }
        }
        throw new IllegalArgumentException("no quantity has the code " + code);
    }
}
