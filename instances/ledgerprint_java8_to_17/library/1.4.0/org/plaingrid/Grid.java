package org.plaingrid;

import java.util.ArrayList;
import java.util.List;

/** A table of text. */
public class Grid {
    public static final int LEFT = 0;
    public static final int RIGHT = 1;

    private final String[] headings;
    private final int[] alignments;
    private final List<String[]> rows = new ArrayList<>();

    public Grid(String... headings) {
        this.headings = headings;
        this.alignments = new int[headings.length];
    }

    /** Align a column, counted from 0, to LEFT (as at first) or RIGHT. */
    public Grid setAlignment(int column, int alignment) {
        alignments[column] = alignment;
        return this;
    }

    /** Add a row; cells that are missing are empty. */
    public Grid addRow(String... cells) {
        rows.add(cells);
        return this;
    }

    /** The table with a rule below its headings and a line break after each line. */
    public String render() {
        int[] widths = new int[headings.length];
        List<String[]> all = new ArrayList<>();
        all.add(headings);
        all.addAll(rows);
        for (String[] row : all) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], cell(row, i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < all.size(); i++) {
            line(text, all.get(i), widths);
            if (i == 0) {
                rule(text, widths);
            }
        }
        return text.toString();
    }

    private static String cell(String[] row, int column) {
        return column < row.length && row[column] != null ? row[column] : "";
    }

    private void line(StringBuilder text, String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cell(row, i);
            String padding = blanks(widths[i] - cell.length());
            line.append(i == 0 ? "" : "  ");
            line.append(alignments[i] == RIGHT ? padding + cell : cell + padding);
        }
        text.append(line.toString().replaceAll("\\s+$", "")).append('\n');
    }

    private static void rule(StringBuilder text, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            text.append(i == 0 ? "" : "  ").append(blanks(widths[i]).replace(' ', '-'));
        }
        text.append('\n');
    }

    private static String blanks(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(' ');
        }
        return text.toString();
    }
}
