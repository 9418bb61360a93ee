package dev.caravan.cli;

import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of commands that change many messages: dry run, confirmation and rate limit. */
final class BulkOptions {
    private static final int MAX_RATE = 1_000_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

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

    /** @throws ParameterException if it is out of range */
    OptionalInt rate() {
        if (rate != null && (rate < 1 || rate > MAX_RATE)) {
            throw new ParameterException(
                    spec.commandLine(), "--rate must be between 1 and " + MAX_RATE + ", got " + rate + ".");
        }
        return rate == null ? OptionalInt.empty() : OptionalInt.of(rate);
    }

    /**
     * Asks for confirmation, unless {@code --yes} is given.
     *
     * @param action for example {@code Retry 12 dead letters}
     * @return whether the person confirmed
     * @throws ParameterException without {@code --yes} and without a terminal
     */
    boolean confirmed(String action) {
        return yes || Confirmation.onConsole(spec.commandLine()).confirmed(action);
    }
}
