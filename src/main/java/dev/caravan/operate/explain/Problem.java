package dev.caravan.operate.explain;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A problem that a person should know about.
 *
 * @param name the name of the alert and the runbook
 * @param subscription the one that it concerns; {@code intake:shop} for an intake
 * @param text one clause, without content of messages
 */
public record Problem(
        Name name, Severity severity, Optional<String> subscription, String text, Optional<Instant> since) {
    /** The kinds of problems, most urgent first. */
    public enum Name {
        DATABASE_UNAVAILABLE,
        SUBSCRIPTION_UNOWNED,
        INTAKE_UNOWNED,
        INTAKE_HALTED,
        DESTINATION_DOWN,
        INTAKE_FAILING,
        NO_PROGRESS,
        LAG_HIGH,
        INTAKE_LAGGING,
        DEAD_LETTERS_GROWING,
        KEYS_BLOCKED_BY_DEAD_LETTERS,
        KEY_BLOCKED_LONG,
        GAP_OPEN_LONG,
        ROUTE_FILE_NOT_LOADED,
        LEASE_LOST_OFTEN,
        PARTITIONS_RUNNING_OUT,
        PRUNING_HELD_BACK;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Most severe first. */
    public enum Severity {
        CRITICAL,
        WARNING;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The page that describes what to do. */
    @JsonProperty
    public String runbook() {
        return "docs/runbooks/" + name + ".md";
    }

    /** The problem of an unavailable database. */
    public static Problem ofDatabase(Instant since) {
        return new Problem(
                Name.DATABASE_UNAVAILABLE,
                Severity.CRITICAL,
                Optional.empty(),
                "the database has been unavailable since " + since.truncatedTo(ChronoUnit.SECONDS)
                        + "; nothing is delivered, and the numbers are those of the last sample",
                Optional.of(since));
    }

    /** The problem of the route files that a relay could not load; empty if there are none. */
    static Optional<Problem> ofRouteFiles(Set<String> names) {
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        Name.ROUTE_FILE_NOT_LOADED,
                        Severity.WARNING,
                        Optional.empty(),
                        "a relay could not load " + String.join(", ", names) + "; its log says why",
                        Optional.empty()));
    }
}
