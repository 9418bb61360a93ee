package dev.caravan.cli;

import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --output}: the same facts for people or for programs. */
final class OutputOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--output", defaultValue = "text", description = "${COMPLETION-CANDIDATES}; default: text")
    private Output output;

    /** @param fields maps, lists, strings, numbers and booleans */
    void print(Supplier<String> text, Supplier<Object> fields) {
        var out = spec.commandLine().getOut();
        out.println(output == Output.json ? Json.text(fields.get()) : text.get());
        out.flush();
    }
}
