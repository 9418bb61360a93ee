package dev.caravan.cli;

import dev.caravan.selection.ChangePace;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** For commands that change many messages: count first, ask, and go slowly if wanted. */
final class CarefulOptions {
    private static final int FASTEST = 1_000_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--dry-run", description = "Only count.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Option(names = "--rate", paramLabel = "N", description = "At most so many messages a second.")
    private Integer rate;

    boolean dryRun() {
        return dryRun;
    }

    ChangePace pace() {
        if (rate != null && (rate < 1 || rate > FASTEST)) {
            throw new ParameterException(
                    spec.commandLine(), "--rate must be between 1 and " + FASTEST + ", got " + rate + ".");
        }
        return new ChangePace(rate == null ? 0 : rate, ChangePace.Time.REAL);
    }

    /**
     * True when the person agrees, by {@code --yes} or on the terminal.
     *
     * @param what for example {@code Retry 12 dead letters}
     * @throws ParameterException when nobody can be asked
     */
    boolean agreed(String what) {
        return yes || Confirmation.onConsole(spec.commandLine()).agreed(what);
    }
}
