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
import org.apache.camel.util.function.ThrowingFunction;
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

    /**
     * Prints a list and returns the exit code.
     *
     * @param first finds at most this number of its first rows
     * @param all all its rows
     * @param columns the names of all fields that a row can have
     * @param nothing the text for people if there is no row
     * @param table the first rows as text for people
     * @param noun what the rows are
     */
    <T> int print(
            ThrowingFunction<Integer, List<T>, SQLException> first,
            Parts<T> all,
            List<String> columns,
            String nothing,
            Table<T> table,
            String noun)
            throws SQLException {
        Optional<RowFormat> format = RowFormat.parse(output.name());
        if (format.isPresent() && limit != null) {
            throw wrong("--limit cannot be combined with --output " + output + ", which writes the whole list.");
        }
        if (format.isPresent()) {
            return write(all, columns, format.get());
        }
        int most = LimitOption.checked(limit == null ? DEFAULT : limit, this);
        List<T> found = first.apply(most + 1);
        List<T> rows = found.subList(0, Math.min(most, found.size()));
        String more = found.size() > most ? "\nMore " + noun + " match: use filters or --limit." : "";
        String text = rows.isEmpty() ? nothing : table.text(rows) + more;
        print(output == Format.json ? HiddenCharacters.escaped(Json.text(rows)) : text);
        return 0;
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
