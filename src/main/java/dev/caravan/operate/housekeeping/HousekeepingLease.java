package dev.caravan.operate.housekeeping;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * The right of one instance to do housekeeping for all, in a row with an end by the clock of the database. It saves the others the work; it does
 * not exclude them: while a process that was paused finishes a task, another instance may begin the same one. Each task is safe then. Used by one
 * thread, except {@link #release()}.
 */
final class HousekeepingLease {
    /** After a crash another instance takes the lease within this time and one renewal. */
    static final Duration DURATION = Duration.ofSeconds(30);

    private static final String NAME = "housekeeping";

    private final DataSource dataSource;
    private final String relay;
    private final Duration duration;
    private final Clock clock;
    private final UUID instance = UUID.randomUUID();
    private volatile boolean held;
    private boolean yields;
    private volatile long claimedAt;

    /** @param relay the name of this instance, for people */
    HousekeepingLease(DataSource dataSource, String relay, Duration duration, Clock clock) {
        this.dataSource = dataSource;
        this.relay = relay;
        this.duration = duration;
        this.clock = clock;
    }

    /** Renews the lease, or takes it if no other instance has it. Returns whether this instance has it now. */
    boolean claim() throws SQLException {
        long begun =
                clock.elapsed(); // before the statement, so that the lease ends here before it ends in the database
        held = statement("operate/claim_lease")
                .with("relay", relay)
                .with("millis", yields ? 0 : duration.toMillis())
                .with("longest", duration.toMillis())
                .first(dataSource, row -> row.getString(1))
                .isPresent();
        claimedAt = begun;
        return held;
    }

    /**
     * From the next claim on, lets every other instance take the lease at once, because this one cannot do everything. It goes on until one does.
     *
     * @param yields false to keep the lease again
     */
    void yieldToOthers(boolean yields) {
        this.yields = yields;
    }

    /** Whether this instance has the lease now, also after it was paused. Asks no database. */
    boolean holds() {
        return held && clock.elapsed() - claimedAt < duration.toNanos();
    }

    /** Lets another instance take the lease at its next attempt. No effect if this instance does not have it. */
    void release() throws SQLException {
        if (holds()) {
            held = false;
            statement("operate/release_lease").update(dataSource);
        }
    }

    private Sql statement(String file) {
        return Sql.file(file).with("name", NAME).with("instance", instance);
    }
}
