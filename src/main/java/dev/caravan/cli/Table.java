package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HiddenCharacters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Shows rows as text in aligned columns.
 *
 * @param <T> what a row shows
 */
final class Table<T> {
    private record Column<T>(String title, boolean isRight, Function<T, ?> value) {
        List<String> cells(List<T> rows) {
            return Stream.concat(Stream.of(title), rows.stream().map(value).map(Table::cell))
                    .toList();
        }
    }

    private final String nothing;
    private final List<Column<T>> columns = new ArrayList<>();

    /** A table of titles if there are no rows. */
    Table() {
        this("");
    }

    /** @param nothing the text if there are no rows */
    Table(String nothing) {
        this.nothing = nothing;
    }

    /**
     * Adds a column.
     *
     * @param title one that ends in {@code >} aligns the column to the right
     * @param value an empty {@link Optional} is shown as {@code -}
     */
    Table<T> column(String title, Function<T, ?> value) {
        columns.add(new Column<>(title.replace(">", ""), title.endsWith(">"), value));
        return this;
    }

    /** Adds a column of texts from outside, each cut after this number of characters. */
    Table<T> column(String title, int width, Function<T, ?> value) {
        return column(title, row -> Formatted.line(written(value.apply(row)), width));
    }

    private static String cell(Object value) {
        return HiddenCharacters.shownOnLine(written(value));
    }

    private static String written(Object value) {
        return value instanceof Optional<?> optional
                ? optional.map(String::valueOf).orElse("-")
                : String.valueOf(value);
    }

    String text(List<T> rows) {
        return text(rows, 0, List.of());
    }

    /**
     * The table, without some columns if it is wider than a width.
     *
     * @param width number of characters in a line; 0 for no limit
     * @param droppable titles of columns that may be omitted, in this order
     */
    String text(List<T> rows, int width, List<String> droppable) {
        if (rows.isEmpty() && !nothing.isEmpty()) {
            return nothing;
        }
        List<Column<T>> shown = new ArrayList<>(columns);
        List<String> left = new ArrayList<>();
        String text = aligned(shown, rows);
        for (String title : droppable) {
            if (width == 0 || text.lines().allMatch(line -> line.length() <= width)) {
                break;
            }
            shown.removeIf(column -> column.title().equals(title));
            left.add(title);
            text = aligned(shown, rows);
        }
        return text + (left.isEmpty() ? "" : "\nNot shown: " + String.join(", ", left) + " (--wide shows all columns)");
    }

    private static <T> String aligned(List<Column<T>> columns, List<T> rows) {
        List<StringBuilder> lines = new ArrayList<>();
        rows.forEach(row -> lines.add(new StringBuilder()));
        lines.add(new StringBuilder());
        for (Column<T> column : columns) {
            List<String> cells = column.cells(rows);
            int width = cells.stream().mapToInt(String::length).max().orElse(0);
            for (int i = 0; i < cells.size(); i++) {
                String padding = " ".repeat(width - cells.get(i).length());
                lines.get(i)
                        .append(column.isRight() ? padding + cells.get(i) : cells.get(i) + padding)
                        .append("  ");
            }
        }
        return lines.stream().map(line -> line.toString().stripTrailing()).collect(Collectors.joining("\n"));
    }
}
