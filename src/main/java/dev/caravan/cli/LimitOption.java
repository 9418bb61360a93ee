package dev.caravan.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --limit}: the largest number of rows that a list shows. */
final class LimitOption {
    private static final int MAX = 100_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "50", description = "Show at most N. Default: 50")
    private int limit;

    /** @throws ParameterException when it is out of range */
    int get() {
        if (limit < 1 || limit > MAX) {
            throw new ParameterException(
                    spec.commandLine(), "--limit must be between 1 and " + MAX + ", got " + limit + ".");
        }
        return limit;
    }
}
