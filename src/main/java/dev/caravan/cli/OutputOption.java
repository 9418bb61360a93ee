package dev.caravan.cli;

import dev.caravan.json.Json;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --output}: the same facts for people or for programs. */
final class OutputOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--output", defaultValue = "table", description = "${COMPLETION-CANDIDATES}; default: table")
    private Output output;

    boolean isJson() {
        return output == Output.json;
    }

    /** @param fields maps, lists, strings, numbers and booleans */
    void print(Supplier<String> table, Supplier<Object> fields) {
        var out = spec.commandLine().getOut();
        out.println(isJson() ? Json.text(fields.get()) : table.get());
        out.flush();
    }
}
