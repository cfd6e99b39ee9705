package org.gearloft.text;

import java.util.ArrayList;
import java.util.List;

/** Rows of cells, printed in columns that are as wide as they have to be. */
public final class Table {

    private final List<String[]> rows = new ArrayList<>();

    public Table(String... headings) {
        rows.add(headings);
    }

    public Table row(Object... cells) {
        if (cells.length != rows.get(0).length) {
            throw new IllegalArgumentException("a row of " + cells.length + " cells");
        }
        String[] row = new String[cells.length];
        for (int i = 0; i < cells.length; i++) {
            row[i] = String.valueOf(cells[i]);
        }
        rows.add(row);
        return this;
    }

    public boolean isEmpty() {
        return rows.size() == 1;
    }

    public List<String> lines() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                line.append(row[i]).append(" ".repeat(widths[i] - row[i].length() + 2));
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
