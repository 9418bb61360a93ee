package dev.caravan.relay;

import dev.caravan.clock.Clock;
import dev.caravan.partition.Partitions;
import dev.caravan.schema.IdempotentIds;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a relay does beside delivering, as long as it runs: partitions ahead of the ids, an end to old ones and to
 * remembered ids.
 */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final long PARTITIONS_SECONDS = 10;
    private static final long PRUNE_SECONDS = 60;
    private static final long FORGET_SECONDS = 600;

    private final Partitions partitions;
    private final PruneRound pruneRound;
    private final IdempotentIds idempotentIds;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "housekeeping");
        thread.setDaemon(true);
        return thread;
    });

    private final Clock clock;
    private volatile long turnedAt;

    Housekeeping(Partitions partitions, PruneRound pruneRound, IdempotentIds idempotentIds, Clock clock) {
        this.partitions = partitions;
        this.pruneRound = pruneRound;
        this.idempotentIds = idempotentIds;
        this.clock = clock;
        turnedAt = clock.nanos();
    }

    private interface Task {
        void run() throws SQLException, InterruptedException;
    }

    void start() {
        timer.scheduleWithFixedDelay(() -> attempt(this::makePartitions), 0, PARTITIONS_SECONDS, TimeUnit.SECONDS);
        timer.scheduleWithFixedDelay(() -> attempt(pruneRound::run), PRUNE_SECONDS, PRUNE_SECONDS, TimeUnit.SECONDS);
        timer.scheduleWithFixedDelay(() -> attempt(this::forgetIds), FORGET_SECONDS, FORGET_SECONDS, TimeUnit.SECONDS);
    }

    /** How long ago a task ended, well or not. */
    Duration sinceTurn() {
        return Duration.ofNanos(clock.nanos() - turnedAt);
    }

    private void makePartitions() throws SQLException {
        int made = partitions.makeAhead();
        if (made > 0) {
            LOG.info("Made {} partitions of the outbox ahead", made);
        }
    }

    private void forgetIds() throws SQLException {
        long forgotten = idempotentIds.prune();
        if (forgotten > 0) {
            LOG.info("Forgot {} message ids of idempotent consumers that are past their retention", forgotten);
        }
    }

    /** What cannot be done now is done the next time; the subscriptions say that the database is away. */
    private void attempt(Task task) {
        try {
            task.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay stops
        } catch (SQLException | RuntimeException e) {
            LOG.debug("Could not keep house now, next try soon", e);
        }
        turnedAt = clock.nanos();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
