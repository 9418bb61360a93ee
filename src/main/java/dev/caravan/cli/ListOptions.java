package dev.caravan.cli;

import dev.caravan.base.message.Json;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.HiddenCharacters;
import dev.caravan.operate.list.Parts;
import dev.caravan.operate.list.RowFormat;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** {@code --output} and {@code --limit} of a list: as a table or JSON its first rows, as CSV or JSON lines all rows, which may be many. */
final class ListOptions extends CommandOptions {
    private static final int DEFAULT = 50;

    /** The output format. */
    enum Format {
        table,
        json,
        csv,
        jsonl
    }

    @Option(
            names = "--output",
            defaultValue = "table",
            description =
                    "${COMPLETION-CANDIDATES}; default: table. csv and jsonl write the whole list, a line for each"
                            + " row.")
    private Format output;

    @Option(names = "--limit", paramLabel = "N", description = "Show at most N. Default: 50. Not with csv and jsonl.")
    private Integer limit;

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

    /**
     * Prints a list and returns the exit code.
     *
     * @param first its first rows
     * @param all all its rows
     * @param columns the names of all fields that a row can have
     * @param text the first rows as text for people
     */
    <T> int print(Search<T> first, Parts<T> all, List<String> columns, Function<Page<T>, String> text)
            throws SQLException {
        Optional<RowFormat> format = RowFormat.parse(output.name());
        if (format.isPresent() && limit != null) {
            throw wrong("--limit cannot be combined with --output " + output + ", which writes the whole list.");
        }
        if (format.isPresent()) {
            return write(all, columns, format.get());
        }
        Page<T> page = page(LimitOption.checked(limit == null ? DEFAULT : limit, this), first);
        print(output == Format.json ? HiddenCharacters.escaped(Json.text(page.rows())) : text.apply(page));
        return 0;
    }

    private static <T> Page<T> page(int rows, Search<T> search) throws SQLException {
        List<T> found = search.first(rows + 1);
        return new Page<>(found.subList(0, Math.min(rows, found.size())), found.size() > rows);
    }

    /** A terminal obeys some characters; a file has the exact text. */
    private static String shown(String line) {
        return Boolean.getBoolean("caravan.output.terminal") ? HiddenCharacters.shown(line) : line;
    }

    private <T> int write(Parts<T> all, List<String> columns, RowFormat format) throws SQLException {
        PrintWriter out = out();
        long written = 0;
        try (Interruption interruption = new Interruption()) {
            Optional<List<T>> part = all.next();
            out.print(format.head(columns));
            while (part.isPresent() && interruption.mayContinue()) {
                part.get().forEach(row -> out.print(shown(format.line(row, columns))));
                written += part.get().size();
                if (out.checkError()) {
                    throw new CommandFailure("The output was closed or is full. It has "
                            + Formatted.counted(written, "row") + " at most.");
                }
                part = all.next();
            }
            if (part.isPresent()) {
                report("Interrupted: wrote " + Formatted.counted(written, "row") + ", which are not all.");
                return Interruption.EXIT;
            }
            return 0;
        }
    }
}
