package dev.caravan.store;

import dev.caravan.clock.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * For how long Postgres has not been able to remove old row versions, because a transaction, a prepared one or a replication slot
 * may still need them. Each save leaves such a version behind. Shared by all lanes of a relay.
 */
public final class Horizon {
    private static final Logger LOG = LoggerFactory.getLogger(Horizon.class);
    public static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);
    private static final Duration TOLD_FROM = Duration.ofMinutes(1);
    private static final int MOST_MOMENTS = 1_000;

    /** The id that the next transaction would have got at a time of the clock. */
    private record Moment(long next, long at) {}

    /** Those that are later than the oldest transaction that somebody holds. */
    private final Deque<Moment> later = new ArrayDeque<>();

    private final long lookInterval;
    private final Clock clock;
    private long lookedAt;
    private volatile Duration age = Duration.ZERO;
    private String told;

    /** @param lookInterval time between two looks */
    public Horizon(Duration lookInterval, Clock clock) {
        this.clock = clock;
        this.lookInterval = lookInterval.toNanos();
        lookedAt = clock.nanos() - this.lookInterval;
    }

    /** For how long at least; zero while nobody holds anything back. */
    public Duration age() {
        return age;
    }

    /** Looks if it is time to. */
    void look(JdbcTemplate jdbc) {
        if (isDue()) {
            try {
                jdbc.query(Sql.HORIZON.text(), row -> {
                    seen(row.getLong(1), Optional.ofNullable(row.getString(2)), row.getLong(3), clock.nanos());
                });
            } catch (DataAccessException e) {
                LOG.debug("Could not look for old transactions; it is tried again soon", e);
            }
        }
    }

    private synchronized boolean isDue() {
        boolean isDue = clock.nanos() - lookedAt >= lookInterval;
        if (isDue) {
            lookedAt = clock.nanos();
        }
        return isDue;
    }

    /**
     * @param next the id that the next transaction gets
     * @param holder who holds the oldest transaction
     * @param behind how many ids before that one
     */
    public synchronized void seen(long next, Optional<String> holder, long behind, long now) {
        while (!later.isEmpty() && (holder.isEmpty() || later.getFirst().next() <= next - behind)) {
            later.removeFirst();
        }
        age = later.isEmpty()
                ? Duration.ZERO
                : Duration.ofNanos(now - later.getFirst().at());
        if (later.size() < MOST_MOMENTS && (later.isEmpty() || later.getLast().next() < next)) {
            later.addLast(new Moment(next, now));
        }
        tell(holder.orElse(null));
    }

    private void tell(String holder) {
        if (age.compareTo(TOLD_FROM) >= 0 && !holder.equals(told)) {
            LOG.warn(
                    "Postgres has not been able to remove old row versions for {} s because of {}. Progress is saved less often"
                            + " until that is over, so that its table stays small: a crash repeats more. End it if it was"
                            + " forgotten",
                    age.toSeconds(),
                    holder);
            told = holder;
        } else if (told != null && age.isZero()) {
            LOG.info("Postgres can remove old row versions again: progress is saved as often as before");
            told = null;
        }
    }
}
