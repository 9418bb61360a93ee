package dev.caravan.loop;

import dev.caravan.store.HaltedException;
import dev.caravan.store.LaneCountMismatch;
import dev.caravan.text.Causes;
import dev.caravan.text.Reason;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * What keeps a subscription from being worked: said once when it begins, once when it changes, once when it is over. What all
 * lanes meet, such as a database that is away, is said for all.
 */
public final class LaneFailures {
    private static final Logger LOG = LoggerFactory.getLogger(LaneFailures.class);
    /** How long a lane waits after its first failure. */
    public static final Duration FIRST_WAIT = Duration.ofSeconds(1);

    /** The wait doubles so often at most. */
    private static final int MOST_DOUBLINGS = 10;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final String subscription;
    private final Duration firstWait;
    /** How many times in a row each lane has failed; none that works. */
    private final Map<Integer, Integer> failures = new HashMap<>();

    private String current;

    /** @param firstWait how long to wait after the first failure; it doubles with each further one, up to 10 s */
    public LaneFailures(String subscription, Duration firstWait) {
        this.subscription = subscription;
        this.firstWait = firstWait;
    }

    /** Takes note of a failure; returns how long to wait before the next try. */
    public synchronized Duration begin(int lane, Throwable failure) {
        Optional<Throwable> databaseError = databaseError(failure);
        boolean database = databaseError.isPresent();
        String text = databaseError
                .map(Reason::of)
                .orElseGet(() -> String.valueOf(Causes.root(failure).getMessage()));
        if (!text.equals(current)) {
            if (database) {
                LOG.warn(
                        "Could not work subscription {}: the database answered {}. Nothing is lost; it is tried again until"
                                + " it works",
                        subscription,
                        text);
            } else {
                LOG.error("Could not work subscription {}: {}", subscription, text);
            }
            current = text;
        }
        int before = failures.merge(lane, 1, Integer::sum) - 1;
        return failure instanceof LaneCountMismatch
                        || failure instanceof HaltedException // cheap to ask, and over when a person has chosen
                ? firstWait
                : afterFailures(before);
    }

    private Duration afterFailures(int before) {
        Duration wait = firstWait.multipliedBy(1L << Math.min(before, MOST_DOUBLINGS));
        return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
    }

    /** Takes note that a lane is left to another relay. */
    public synchronized void leave(int lane) {
        failures.remove(lane);
    }

    /** Takes note that a lane works. */
    public synchronized void end(int lane) {
        failures.remove(lane);
        if (current != null && failures.isEmpty()) {
            LOG.info("Subscription {} works again", subscription);
            current = null;
        }
    }

    private static Optional<Throwable> databaseError(Throwable failure) {
        return Causes.of(failure)
                .filter(cause -> cause instanceof SQLException || cause instanceof DataAccessException)
                .findFirst();
    }
}
