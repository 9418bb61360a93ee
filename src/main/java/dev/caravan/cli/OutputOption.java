package dev.caravan.cli;

import dev.caravan.base.message.Json;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --output}: the output format. Both formats contain the same facts. */
final class OutputOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--output", defaultValue = "table", description = "${COMPLETION-CANDIDATES}; default: table")
    private OutputFormat output;

    boolean isJson() {
        return output == OutputFormat.json;
    }

    /** Whether refreshed output replaces the previous output, as for text on a terminal. JSON is always one document per line. */
    boolean isRedrawn() {
        return Boolean.getBoolean("caravan.output.terminal") && !isJson();
    }

    /** Number of characters in a line of the terminal; 0 if the output is not a terminal. */
    int width() {
        return Integer.getInteger("caravan.output.columns", 0);
    }

    /** @param fields maps, lists, strings, numbers and booleans */
    void print(Supplier<String> table, Supplier<Object> fields) {
        var out = spec.commandLine().getOut();
        out.println(isJson() ? Json.text(fields.get()) : table.get());
        out.flush();
    }
}
