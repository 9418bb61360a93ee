package dev.caravan.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Text in aligned columns. */
final class Table {
    private final List<Boolean> rightAligned = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    /** @param titles a title that ends in {@code >} aligns its column to the right */
    Table(String... titles) {
        List<String> shown = new ArrayList<>();
        for (String title : titles) {
            rightAligned.add(title.endsWith(">"));
            shown.add(title.replace(">", ""));
        }
        rows.add(shown);
    }

    void row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(String.valueOf(cell));
        }
        rows.add(row);
    }

    /**
     * The table, without some columns if it is wider than a width.
     *
     * @param width number of characters in a line; 0 for no limit
     * @param droppable titles of columns that may be omitted, in this order
     */
    String fitting(int width, List<String> droppable) {
        List<String> left = new ArrayList<>();
        for (String title : droppable) {
            if (width == 0 || width() <= width) {
                break;
            }
            drop(rows.get(0).indexOf(title));
            left.add(title);
        }
        return this + (left.isEmpty() ? "" : "\nNot shown: " + String.join(", ", left) + " (--wide shows all columns)");
    }

    private int width() {
        return toString().lines().mapToInt(String::length).max().orElse(0);
    }

    private void drop(int column) {
        rows.forEach(row -> row.remove(column));
        rightAligned.remove(column);
    }

    @Override
    public String toString() {
        List<Integer> widths = IntStream.range(0, rightAligned.size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        return rows.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(column -> aligned(row.get(column), widths.get(column), rightAligned.get(column)))
                        .collect(Collectors.joining("  "))
                        .stripTrailing())
                .collect(Collectors.joining("\n"));
    }

    private static String aligned(String cell, int width, boolean right) {
        String padding = " ".repeat(width - cell.length());
        return right ? padding + cell : cell + padding;
    }
}
