package dev.caravan.cli;

import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine.Option;

/** {@code --limit}: the largest number of rows that a list shows. */
final class LimitOption extends CommandOptions {
    @Option(names = "--limit", paramLabel = "N", defaultValue = "50", description = "Show at most N. Default: 50")
    private int limit;

    /** Finds at most this number of rows. */
    @FunctionalInterface
    interface Search<T> {
        List<T> first(int rows) throws SQLException;
    }

    /**
     * The rows to show.
     *
     * @param more whether more were found
     */
    record Page<T>(List<T> rows, boolean more) {
        String text(String nothing, Table<T> table, String noun) {
            return rows.isEmpty()
                    ? nothing
                    : table.text(rows) + (more ? "\nMore " + noun + " match: use filters or --limit." : "");
        }
    }

    <T> Page<T> page(Search<T> search) throws SQLException {
        int rows = get();
        List<T> found = search.first(rows + 1);
        return new Page<>(found.subList(0, Math.min(rows, found.size())), found.size() > rows);
    }

    /** @throws picocli.CommandLine.ParameterException when it is out of range */
    int get() {
        requireUpTo(100_000, "--limit", limit, "");
        return limit;
    }
}
