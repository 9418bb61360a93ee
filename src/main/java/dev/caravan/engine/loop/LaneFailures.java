package dev.caravan.engine.loop;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Reason;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.engine.store.HaltedException;
import dev.caravan.engine.store.LaneCountMismatch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * The failures of the loops of a subscription. Logs a problem once when it begins, once when it changes and once when it ends; a
 * problem of all lanes, such as an unavailable database, is logged once for all. Thread-safe.
 */
public final class LaneFailures {
    private static final Logger LOG = LoggerFactory.getLogger(LaneFailures.class);
    /** How long a lane waits after its first failure. */
    public static final Duration FIRST_WAIT = Duration.ofSeconds(1);

    /** Maximum number of times that the wait doubles. */
    private static final int MAX_DOUBLINGS = 10;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** A lane that has waited so often in a row for the pool of this relay waits for more than the start of other lanes. */
    private static final int POOL_WAITS = 5;

    private final String work;
    private final Duration firstWait;
    /** Number of consecutive failures of each failing lane. */
    private final Map<Integer, Integer> failures = new HashMap<>();

    private String current;

    /**
     * @param work what the lanes work, for the log, for example {@code subscription orders}
     * @param firstWait how long to wait after the first failure; it doubles with each further one, up to 10 s
     */
    public LaneFailures(String work, Duration firstWait) {
        this.work = work;
        this.firstWait = firstWait;
    }

    /** Records a failure of a lane; returns how long to wait before the next turn. */
    public synchronized Duration failed(int lane, Throwable failure) {
        if (DatabaseFailure.isWaitForPool(failure) && failures.getOrDefault(lane, 0) < POOL_WAITS) {
            failures.merge(lane, 1, Integer::sum);
            LOG.debug("{} waits for a connection to the database", work);
            return firstWait;
        }
        Optional<Throwable> databaseError = databaseError(failure);
        boolean database = databaseError.isPresent();
        String text = databaseError
                .map(Reason::of)
                .orElseGet(() -> String.valueOf(Causes.root(failure).getMessage()));
        if (!text.equals(current)) {
            if (database) {
                LOG.warn(
                        "Could not work {}: the database answered {}. Nothing is lost; it is retried until"
                                + " it succeeds",
                        work,
                        text);
            } else {
                LOG.error("Could not work {}: {}", work, text);
            }
            current = text;
        }
        int before = failures.merge(lane, 1, Integer::sum) - 1;
        return failure instanceof LaneCountMismatch
                        || failure instanceof HaltedException // cheap to check, and ends when a person acts
                ? firstWait
                : afterFailures(before);
    }

    private Duration afterFailures(int before) {
        Duration wait = firstWait.multipliedBy(1L << Math.min(before, MAX_DOUBLINGS));
        return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
    }

    /** Discards the failures of a lane that this relay may not claim. */
    public synchronized void forget(int lane) {
        failures.remove(lane);
    }

    /** Records a successful turn of a lane. */
    public synchronized void succeeded(int lane) {
        failures.remove(lane);
        if (current != null && failures.isEmpty()) {
            LOG.info("{} works again", Character.toUpperCase(work.charAt(0)) + work.substring(1));
            current = null;
        }
    }

    private static Optional<Throwable> databaseError(Throwable failure) {
        return Causes.of(failure)
                .filter(cause -> cause instanceof SQLException || cause instanceof DataAccessException)
                .findFirst();
    }
}
