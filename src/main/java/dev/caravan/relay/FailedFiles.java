package dev.caravan.relay;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Sentence;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.routes.tryout.Lookups;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The route files that could not be loaded, and when to retry them. A file that has not changed is retried if that does not stop a
 * running route, or if the cause may be temporary. Not thread-safe.
 */
final class FailedFiles {
    static final Duration FIRST_WAIT = Duration.ofSeconds(10);
    static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(FailedFiles.class);

    private record Failure(String text, String reason, boolean retried) {}

    private final Lookups lookups;
    private final Clock clock;
    private final Map<String, Failure> failures = new TreeMap<>();
    private Duration wait = FIRST_WAIT;
    private long attemptedAt;

    FailedFiles(Lookups lookups, Clock clock) {
        this.lookups = lookups;
        this.clock = clock;
    }

    /**
     * Adds a failure, and logs it unless the same text has failed for the same reason before.
     *
     * @param consequence what runs now, as a sentence without its final period
     * @param stopsRoutes whether a retry stops running routes
     */
    void add(String name, String text, Exception thrown, String consequence, boolean stopsRoutes) {
        Failure failure = new Failure(text, lookups.reason(thrown), !stopsRoutes || mayBeTemporary(thrown));
        if (!failure.equals(failures.put(name, failure))) {
            LOG.error(
                    "Could not load {}: {} {}. Correct the file{}",
                    name,
                    Sentence.of(failure.reason()),
                    consequence,
                    failure.retried()
                            ? ". Even if unchanged, it is tried again at least every " + LONGEST_WAIT.toSeconds() + " s"
                            : "");
        }
    }

    void remove(String name) {
        failures.remove(name);
    }

    Set<String> names() {
        return Set.copyOf(failures.keySet());
    }

    /** Removes the files that are not in the folder. */
    void retain(Set<String> names) {
        failures.keySet().retainAll(names);
    }

    boolean isRetried(String name) {
        return failures.containsKey(name) && failures.get(name).retried();
    }

    /** Whether a retry is due although no file has changed. */
    boolean isDue() {
        return failures.values().stream().anyMatch(Failure::retried) && clock.nanos() - attemptedAt >= wait.toNanos();
    }

    /** Records an attempt now, and sets the wait for the next one: after a change it is the first wait again. */
    void attempted(boolean afterChange) {
        attemptedAt = clock.nanos();
        wait = afterChange ? FIRST_WAIT : Pauses.doubled(wait, LONGEST_WAIT);
    }

    /** Whether the database, the network or the file system can be the cause. */
    private static boolean mayBeTemporary(Exception thrown) {
        return DatabaseFailure.in(thrown).filter(DatabaseFailure::waitingHelps).isPresent()
                || Causes.first(IOException.class, thrown).isPresent();
    }
}
