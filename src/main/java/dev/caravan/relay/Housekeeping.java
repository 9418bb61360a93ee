package dev.caravan.relay;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Timers;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.Partitions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic tasks of a relay: creates partitions ahead of use, prunes old partitions, removes old message ids of idempotent consumers
 * and old rows of discarded dead letters and of the audit, advances jobs, and stores the state of the subscriptions for the charts.
 */
final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final Duration PARTITIONS = Duration.ofSeconds(10);
    private static final Duration PRUNE = Duration.ofMinutes(1);
    private static final Duration OLD_ROWS = Duration.ofMinutes(10);
    private static final Duration JOB = Duration.ofMillis(500);
    private static final int IDLE_ROUNDS = 4;
    private static final Duration HISTORY = Duration.ofSeconds(30);

    private final Partitions partitions;
    private final PruneRound pruneRound;
    private final IdempotentIds idempotentIds;
    private final Discards discards;
    private final AuditRetention audit;
    private final Jobs jobs;
    private final StoredHistory history;
    private final RecentSamples samples;
    private final ScheduledExecutorService timer = Timers.daemons("housekeeping", 1);

    private final Clock clock;
    private boolean hasJobs;
    private int idleRounds;
    private boolean warnedOfAudit;
    private volatile boolean started;
    private volatile long taskEndedAt;

    /** @param samples those of the subscriptions */
    Housekeeping(
            Partitions partitions,
            PruneRound pruneRound,
            IdempotentIds idempotentIds,
            Discards discards,
            AuditRetention audit,
            Jobs jobs,
            StoredHistory history,
            RecentSamples samples,
            Clock clock) {
        this.partitions = partitions;
        this.pruneRound = pruneRound;
        this.idempotentIds = idempotentIds;
        this.discards = discards;
        this.audit = audit;
        this.jobs = jobs;
        this.history = history;
        this.samples = samples;
        this.clock = clock;
    }

    private interface Task {
        void run() throws SQLException, InterruptedException;
    }

    void start() {
        taskEndedAt = clock.nanos();
        started = true;
        timer.scheduleWithFixedDelay(() -> attempt(this::createPartitions), 0, PARTITIONS.toMillis(), MILLISECONDS);
        every(PRUNE, pruneRound::run);
        every(JOB, this::advanceJobs);
        every(PRUNE, this::deleteDiscarded);
        every(OLD_ROWS, this::removeIds);
        every(OLD_ROWS, this::pruneAudit);
        every(HISTORY, () -> history.add(samples));
    }

    private void every(Duration pause, Task task) {
        timer.scheduleWithFixedDelay(() -> attempt(task), pause.toMillis(), pause.toMillis(), MILLISECONDS);
    }

    /** Time since the last task ended, successfully or not; zero before the start. */
    Duration sinceLastTask() {
        return started ? Duration.ofNanos(clock.nanos() - taskEndedAt) : Duration.ZERO;
    }

    private void createPartitions() throws SQLException {
        int created = partitions.makeAhead();
        if (created > 0) {
            LOG.info("Created {} of the outbox ahead of use", Formatted.counted(created, "partition"));
        }
    }

    private void removeIds() throws SQLException {
        long removed = idempotentIds.prune();
        if (removed > 0) {
            LOG.info("Removed {} message ids of idempotent consumers that are older than their retention", removed);
        }
    }

    /** Looks for running jobs every two seconds, and runs their steps every half second while one is running. */
    private void advanceJobs() throws SQLException {
        if (hasJobs || ++idleRounds >= IDLE_ROUNDS) {
            idleRounds = 0;
            hasJobs = jobs.stepAll();
        }
    }

    private void deleteDiscarded() throws SQLException {
        jobs.prune();
        long deleted = discards.prune();
        if (deleted > 0) {
            LOG.info("Deleted {} discarded dead letters that are older than their retention", deleted);
        }
    }

    /** Without the privilege it warns once; no delivery depends on it. */
    private void pruneAudit() throws SQLException {
        try {
            long pruned = audit.prune();
            if (pruned > 0) {
                LOG.info("Deleted {} rows of the audit that are older than caravan.audit.retention", pruned);
            }
        } catch (SQLException e) {
            if (!DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
            if (!warnedOfAudit) {
                warnedOfAudit = true;
                LOG.warn(
                        "Could not delete old rows of the audit: {}. They are kept. The relay's role needs: grant"
                                + " select, delete on outbox_audit",
                        e.getMessage());
            }
        }
    }

    /** Logs a failure at DEBUG only: the task runs again soon, and the lanes report an unavailable database. */
    private void attempt(Task task) {
        try {
            task.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay is stopping
        } catch (SQLException | RuntimeException e) {
            LOG.debug("A housekeeping task failed, will retry", e);
        }
        taskEndedAt = clock.nanos();
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
