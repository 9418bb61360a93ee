package dev.caravan.cli;

import dev.caravan.base.message.Json;
import dev.caravan.base.text.HiddenCharacters;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** {@code --output}: the output format. Both formats contain the same facts. */
final class OutputOption extends CommandOptions {
    /** Text for people (a table or sentences), or JSON for programs. */
    enum Format {
        table,
        json
    }

    @Option(names = "--output", defaultValue = "table", description = "${COMPLETION-CANDIDATES}; default: table")
    private Format output;

    boolean isJson() {
        return output == Format.json;
    }

    /** Whether refreshed output replaces the previous output, as for text on a terminal. JSON is always one document per line. */
    boolean isRedrawn() {
        return Boolean.getBoolean("caravan.output.terminal") && !isJson();
    }

    /** Number of characters in a line of the terminal; 0 if the output is not a terminal. */
    int width() {
        return Integer.getInteger("caravan.output.columns", 0);
    }

    /** @param fields a record, or maps, lists, strings, numbers and booleans */
    void print(String text, Object fields) {
        print(isJson() ? HiddenCharacters.escaped(Json.text(fields)) : text);
    }

    /** Prints a list. */
    <T> void print(List<T> rows, String text, Function<T, ?> fields) {
        print(text, rows.stream().map(fields).toList());
    }

    /** Refreshes the output. */
    Watch watch(Watch.Timer timer) {
        return new Watch(out(), err(), isRedrawn(), timer);
    }

    /** One refresh: the text below the current time, or JSON on one line. */
    String refresh(String text, Object fields) {
        return isJson()
                ? HiddenCharacters.escaped(Json.line(fields))
                : Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n" + HiddenCharacters.shown(text) + "\n";
    }
}
