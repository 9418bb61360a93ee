package dev.caravan.cli;

import java.time.Duration;
import picocli.CommandLine.Option;

/** {@code --interval}: the time between two refreshes, in seconds. */
final class IntervalOption extends CommandOptions {
    @Option(names = "--interval", paramLabel = "SECONDS", description = "Seconds between two refreshes. Default: 2")
    private Integer seconds;

    boolean isGiven() {
        return seconds != null;
    }

    Duration duration() {
        if (isGiven() && (seconds < 1 || seconds > 3_600)) {
            throw wrong("--interval must be between 1 and 3600 seconds, got " + seconds + ".");
        }
        return Duration.ofSeconds(isGiven() ? seconds : 2);
    }
}
