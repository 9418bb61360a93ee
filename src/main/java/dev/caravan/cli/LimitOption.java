package dev.caravan.cli;

import picocli.CommandLine.Option;

/** {@code --limit}: the largest number of rows that a list shows. */
final class LimitOption extends CommandOptions {
    @Option(names = "--limit", paramLabel = "N", defaultValue = "50", description = "Show at most N. Default: 50")
    private int limit;

    /** @throws picocli.CommandLine.ParameterException when it is out of range */
    int get() {
        return checked(limit, this);
    }

    /** The same for a command with an option of its own. */
    static int checked(int limit, CommandOptions command) {
        command.requireUpTo(100_000, "--limit", limit, "");
        return limit;
    }
}
