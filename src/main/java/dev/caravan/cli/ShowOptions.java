package dev.caravan.cli;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of commands that show all details of named messages. */
final class ShowOptions extends CommandOptions {
    @Parameters(
            paramLabel = "NAME",
            arity = "1..*",
            description = "SUBSCRIPTION ID… (for dead letters also message ids).")
    private List<String> names;

    @Option(names = "--payload", description = "Also show the payload and header values.")
    private boolean payload;

    /** A message in both output formats. */
    record Shown(String text, Object fields) {}

    /** Reads and formats the details of a message. */
    interface Details<T> {
        /** @param payload whether to show the payload and header values */
        Shown of(T message, boolean payload) throws SQLException;
    }

    /** Returns the exit code. */
    <T> int show(NamedMessages<T> named, Details<T> details, OutputOption output) throws SQLException {
        List<Shown> shown = new ArrayList<>();
        for (T message : named.find(Optional.empty(), names, this).found()) {
            shown.add(details.of(message, payload));
        }
        if (!shown.isEmpty()) {
            String text = String.join("\n\n", shown.stream().map(Shown::text).toList());
            output.print(shown, text, Shown::fields);
        }
        named.missing().forEach(this::report);
        return named.missing().isEmpty() ? 0 : 1;
    }
}
