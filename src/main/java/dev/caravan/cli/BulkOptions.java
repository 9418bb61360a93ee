package dev.caravan.cli;

import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** The options of commands that change many messages: dry run, confirmation and rate limit. */
final class BulkOptions extends CommandOptions {
    @Option(names = "--dry-run", description = "Only count the messages; change nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask for confirmation.")
    private boolean yes;

    @Option(
            names = "--rate",
            paramLabel = "N",
            converter = PerSecondConverter.class,
            description = "At most N messages a second, also written N/s. Default: no limit")
    private Integer rate;

    boolean dryRun() {
        return dryRun;
    }

    /** @throws picocli.CommandLine.ParameterException if it is out of range */
    OptionalInt rate() {
        requireUpTo(1_000_000, "--rate", rate == null ? 1 : rate, "");
        return rate == null ? OptionalInt.empty() : OptionalInt.of(rate);
    }

    /** Asks for confirmation, unless {@code --yes} is given. */
    boolean confirmed(String action) {
        return confirmed(yes, action);
    }
}
