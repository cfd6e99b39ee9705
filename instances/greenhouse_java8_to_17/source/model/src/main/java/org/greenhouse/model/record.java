package org.greenhouse.model;

import java.time.Instant;

/** One reading of one sensor, named as its line in the logger's files. */
public final class record implements Comparable<record> {
    private final Instant at;
    private final Quantity quantity;
    private final double value;

    public record(Instant at, Quantity quantity, double value) {
        if (at == null || quantity == null) {
            throw new IllegalArgumentException("a record has an instant and a quantity");
        }
        this.at = at;
        this.quantity = quantity;
        this.value = quantity.checked(value);
    }

    public Instant at() {
        return at;
    }

    public Quantity quantity() {
        return quantity;
    }

    public double value() {
        return value;
    }

    @Override
    public int compareTo(record other) {
        int order = at.compareTo(other.at);
        return order == 0 ? quantity.compareTo(other.quantity) : order;
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof record
                && compareTo((record) object) == 0
                && Double.compare(value, ((record) object).value) == 0;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * at.hashCode() + quantity.hashCode()) + Double.hashCode(value);
    }

    @Override
    public String toString() {
        return at + ";" + quantity.code() + ";" + value;
    }
}
