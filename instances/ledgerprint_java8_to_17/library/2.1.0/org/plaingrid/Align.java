package org.plaingrid;

/** Where a column's cells stand. */
public enum Align {
    LEFT,
    RIGHT;

    String pad(String cell, int width) {
        String padding = " ".repeat(width - cell.length());
        return this == RIGHT ? padding + cell : cell + padding;
    }
}
