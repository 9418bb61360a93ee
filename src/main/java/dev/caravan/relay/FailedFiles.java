package dev.caravan.relay;

import dev.caravan.clock.Clock;
import dev.caravan.clock.Pauses;
import dev.caravan.context.CamelReason;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.text.Causes;
import dev.caravan.text.Sentence;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route files that could not be loaded, and when to try them again. A file is tried again without a change if that stops no
 * running route, or if the reason may pass by itself. Not thread-safe.
 */
final class FailedFiles {
    static final Duration FIRST_WAIT = Duration.ofSeconds(10);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(FailedFiles.class);

    private record Failure(String text, String reason, boolean triedAgain) {}

    private final Clock clock;
    private final Map<String, Failure> failures = new TreeMap<>();
    private Duration wait = FIRST_WAIT;
    private long attemptedAt;

    FailedFiles(Clock clock) {
        this.clock = clock;
    }

    /**
     * Adds a failure, and logs it unless the same text has failed for the same reason before.
     *
     * @param consequence what runs instead, as a sentence without its final period
     * @param stopsRoutes whether another attempt stops routes that run
     */
    void add(String name, String text, Exception thrown, String consequence, boolean stopsRoutes) {
        Failure failure = new Failure(text, CamelReason.of(thrown), !stopsRoutes || mayPass(thrown));
        if (!failure.equals(failures.put(name, failure))) {
            LOG.error(
                    "Could not load {}: {} {}. Correct the file{}",
                    name,
                    Sentence.of(failure.reason()),
                    consequence,
                    failure.triedAgain()
                            ? ". Without a change it is tried again at least every " + LONGEST_WAIT.toSeconds() + " s"
                            : "");
        }
    }

    void remove(String name) {
        failures.remove(name);
    }

    /** Removes the files that are not in the folder. */
    void retain(Set<String> names) {
        failures.keySet().retainAll(names);
    }

    boolean isTriedAgain(String name) {
        return failures.containsKey(name) && failures.get(name).triedAgain();
    }

    /** Whether it is time for another attempt without a change of any file. */
    boolean isDue() {
        return failures.values().stream().anyMatch(Failure::triedAgain)
                && clock.nanos() - attemptedAt >= wait.toNanos();
    }

    /** Plans the next attempt, after one that followed a change or only a wait. */
    void attempted(boolean afterChange) {
        attemptedAt = clock.nanos();
        wait = afterChange ? FIRST_WAIT : Pauses.doubled(wait, LONGEST_WAIT);
    }

    /** Whether the database, the network or a file of the system can be the reason. */
    private static boolean mayPass(Exception thrown) {
        return DatabaseFailure.in(thrown).filter(DatabaseFailure::waitingHelps).isPresent()
                || Causes.first(IOException.class, thrown).isPresent();
    }
}
