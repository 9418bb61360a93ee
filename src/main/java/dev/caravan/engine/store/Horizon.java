package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Measures how long Postgres has not been able to remove old row versions because a transaction, a prepared transaction or a
 * replication slot may still need them. Each save creates such a version. Shared by all lanes of a relay; thread-safe.
 */
public final class Horizon {
    private static final Logger LOG = LoggerFactory.getLogger(Horizon.class);
    public static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration LOGGED_FROM = Duration.ofMinutes(1);
    private static final int MAX_SAMPLES = 1_000;

    /** The next transaction id at a time of the clock. */
    private record Sample(long next, long at) {}

    /** The samples since the oldest transaction id whose row versions may still be needed. */
    private final Deque<Sample> samples = new ArrayDeque<>();

    private final long interval;
    private final Clock clock;
    private long updatedAt;
    private volatile Duration age = Duration.ZERO;
    private String loggedHolder;

    /** @param interval time between two queries */
    public Horizon(Duration interval, Clock clock) {
        this.clock = clock;
        this.interval = interval.toNanos();
        updatedAt = clock.nanos() - this.interval;
    }

    /** Lower bound of the time; zero while old row versions can be removed. */
    public Duration age() {
        return age;
    }

    /** Queries the database if the interval has passed. */
    public void update(JdbcTemplate jdbc) {
        if (isDue()) {
            try {
                Sql.file("engine/horizon").query(jdbc, row -> {
                    add(row.getLong(1), Optional.ofNullable(row.getString(2)), row.getLong(3), clock.nanos());
                    return row;
                });
            } catch (DataAccessException e) {
                LOG.debug("Could not query the oldest transaction; the next query follows in {} ns", interval, e);
            }
        }
    }

    private synchronized boolean isDue() {
        boolean isDue = clock.nanos() - updatedAt >= interval;
        if (isDue) {
            updatedAt = clock.nanos();
        }
        return isDue;
    }

    /**
     * Adds a sample.
     *
     * @param next the next transaction id
     * @param holder the session, prepared transaction or slot that needs the oldest row versions
     * @param behind the number of ids between the oldest transaction that it needs and {@code next}
     */
    public synchronized void add(long next, Optional<String> holder, long behind, long now) {
        while (!samples.isEmpty() && (holder.isEmpty() || samples.getFirst().next() <= next - behind)) {
            samples.removeFirst();
        }
        age = samples.isEmpty()
                ? Duration.ZERO
                : Duration.ofNanos(now - samples.getFirst().at());
        if (samples.size() < MAX_SAMPLES
                && (samples.isEmpty() || samples.getLast().next() < next)) {
            samples.addLast(new Sample(next, now));
        }
        log(holder.orElse(null));
    }

    private void log(String holder) {
        if (age.compareTo(LOGGED_FROM) >= 0 && !holder.equals(loggedHolder)) {
            LOG.warn(
                    "Postgres has not been able to remove old row versions for {} s because of {}. Until it can, progress is saved"
                            + " less often to keep its table small, and a crash repeats more messages. End this session,"
                            + " transaction or slot if it is not needed",
                    age.toSeconds(),
                    holder);
            loggedHolder = holder;
        } else if (loggedHolder != null && age.isZero()) {
            LOG.info("Postgres can remove old row versions again: progress is saved as often as before");
            loggedHolder = null;
        }
    }
}
