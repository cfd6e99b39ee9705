package org.plaingrid;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table of text, made by a {@link Builder}; it does not change. */
public record Grid(List<Column> columns, List<List<String>> rows) {
    /** A heading and where the cells below it stand. */
    public record Column(String heading, Align align) {
    }

    public Grid {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects columns, then rows. */
    public static final class Builder {
        private final List<Column> columns = new ArrayList<>();
        private final List<List<String>> rows = new ArrayList<>();

        private Builder() {
        }

        public Builder column(String heading) {
            return column(heading, Align.LEFT);
        }

        public Builder column(String heading, Align align) {
            columns.add(new Column(heading, align));
            return this;
        }

        /**
         * Add a row.
         *
         * @throws IllegalArgumentException it has not as many cells as there are columns
         */
        public Builder row(String... cells) {
            if (cells.length != columns.size()) {
                throw new IllegalArgumentException(
                        cells.length + " cells for " + columns.size() + " columns");
            }
            rows.add(List.of(cells));
            return this;
        }

        public Grid build() {
            return new Grid(columns, rows);
        }
    }

    /** The lines of the table, the second of them a rule. */
    public List<String> lines() {
        List<String> headings = columns.stream().map(Column::heading).toList();
        int[] widths = IntStream.range(0, columns.size())
                .map(i -> rows.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
                .toArray();
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], headings.get(i).length());
        }
        List<String> lines = new ArrayList<>();
        lines.add(line(headings, widths));
        lines.add(IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining("  ")));
        rows.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    private String line(List<String> cells, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(i -> columns.get(i).align().pad(cells.get(i), widths[i]))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }
}
