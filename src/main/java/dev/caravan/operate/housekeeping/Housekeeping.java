package dev.caravan.operate.housekeeping;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Timers;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Reason;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.IdempotentIds;
import dev.caravan.operate.audit.AuditRetention;
import dev.caravan.operate.explain.RecentSamples;
import dev.caravan.operate.explain.StoredHistory;
import dev.caravan.operate.failed.Discards;
import dev.caravan.operate.job.Jobs;
import dev.caravan.operate.partition.LastingProblem;
import dev.caravan.operate.partition.Partitions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic tasks for an outbox. One instance of those that share the outbox prunes old partitions, removes old message ids of idempotent
 * consumers and old rows of discarded dead letters, jobs and of the audit, and stores the state of the subscriptions for the charts: the one that
 * has the {@link HousekeepingLease}. It creates partitions ahead of use too; the others look after them less often, in case it hangs. Each
 * instance advances jobs: a step locks its job.
 */
public final class Housekeeping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    /** A third of the lease. */
    private static final Duration LEASE = HousekeepingLease.DURATION.dividedBy(3);

    private static final int ROUNDS_WITHOUT_LEASE = 6;
    private static final Duration PRUNE = Duration.ofMinutes(1);
    private static final Duration OLD_ROWS = Duration.ofMinutes(10);
    private static final Duration JOB = Duration.ofMillis(500);
    private static final int IDLE_ROUNDS = 4;
    private static final Duration HISTORY = Duration.ofSeconds(30);
    /** For a task that runs when this is closed. */
    private static final Duration LAST_TASK = Duration.ofSeconds(2);

    private final DataSource dataSource;
    private final HousekeepingLease lease;
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
    private Map<Integer, String> holders = Map.of();
    private boolean hadLease;
    private int rounds;
    private boolean hasJobs;
    private int idleRounds;
    private boolean warnedOfAudit;
    private volatile boolean started;
    private volatile long taskEndedAt;

    /**
     * @param dataSource provides up to two connections
     * @param samples those of the subscriptions
     * @param relay the name of this instance, for people
     */
    public Housekeeping(
            DataSource dataSource, HousekeepingSettings settings, RecentSamples samples, String relay, Clock clock) {
        this.dataSource = dataSource;
        lease = new HousekeepingLease(dataSource, relay, HousekeepingLease.DURATION, clock);
        partitions = new Partitions(dataSource, settings.partitionSize());
        pruneRound = new PruneRound(dataSource, settings.retention(), clock);
        idempotentIds = new IdempotentIds(dataSource, settings.idempotentRetention());
        discards = new Discards(dataSource, settings.discardedRetention());
        audit = new AuditRetention(dataSource, settings.auditRetention());
        jobs = new Jobs(dataSource, discards.canBeUndone());
        history = new StoredHistory(dataSource);
        this.samples = samples;
        this.clock = clock;
    }

    private interface Task {
        void run() throws SQLException, InterruptedException;
    }

    private interface Turn {
        /** Returns whether the task was due, and done. */
        boolean take() throws SQLException, InterruptedException;
    }

    /** Starts the tasks. An unavailable database ends none of them. */
    public void start() {
        taskEndedAt = clock.nanos();
        started = true;
        every(Duration.ZERO, LEASE, () -> {
            round();
            return true;
        });
        every(JOB, this::advanceJobs);
        forAll(PRUNE, this::prune);
        forAll(PRUNE, this::deleteDiscarded);
        forAll(OLD_ROWS, this::removeIds);
        forAll(OLD_ROWS, this::pruneAudit);
        forAll(HISTORY, () -> history.add(samples));
    }

    private void every(Duration pause, Turn turn) {
        every(pause, pause, turn);
    }

    private void every(Duration first, Duration pause, Turn turn) {
        LastingProblem problem = new LastingProblem("A task of the housekeeping has failed", clock);
        timer.scheduleWithFixedDelay(() -> attempt(turn, problem), first.toMillis(), pause.toMillis(), MILLISECONDS);
    }

    /** A task that the instance with the lease does. */
    private void forAll(Duration pause, Task task) {
        every(pause, () -> {
            boolean holds = lease.holds();
            if (holds) {
                task.run();
            }
            return holds;
        });
    }

    /** Time since the last task ended, successfully or not; zero before the start. */
    public Duration sinceLastTask() {
        return started ? Duration.ofNanos(clock.nanos() - taskEndedAt) : Duration.ZERO;
    }

    /** Partitions are created even if the lease cannot be read. */
    private void round() throws SQLException {
        try {
            claim();
        } finally {
            if (lease.holds() || rounds % ROUNDS_WITHOUT_LEASE == 0) {
                nameHolders();
                createPartitions();
            }
            rounds++;
        }
    }

    /** Every role with usage on the schema can make all others wait for a table: reads and saves of relays only say that they have waited for 1 s. */
    void nameHolders() throws SQLException {
        Map<Integer, String> found = new LinkedHashMap<>();
        Sql.file("operate/lock_queue").query(dataSource, row -> found.put(row.getInt("pid"), row.getString("name")));
        if (!holders.keySet().containsAll(found.keySet())) {
            LOG.warn(
                    "Inserts into the outbox, reads of it and saves of relays wait for a lock, behind {}. If that is not wanted, end"
                            + " it: {}",
                    String.join("; ", found.values()),
                    found.keySet().stream()
                            .map(pid -> "select pg_terminate_backend(" + pid + ")")
                            .collect(Collectors.joining("; ")));
        }
        holders = found;
    }

    private void claim() throws SQLException {
        boolean has = lease.claim();
        if (has != hadLease) {
            hadLease = has;
            LOG.info(
                    has
                            ? "Housekeeping of the outbox runs in this instance"
                            : "Housekeeping of the outbox runs in another instance");
        }
    }

    private void createPartitions() throws SQLException {
        int created = partitions.makeAhead();
        if (created > 0) {
            LOG.info("Created {} of the outbox ahead of use", Formatted.counted(created, "partition"));
        }
    }

    /** An instance whose role may not prune leaves the housekeeping to one whose role may. */
    private void prune() throws SQLException, InterruptedException {
        pruneRound.run();
        lease.yieldToOthers(pruneRound.lacksPrivilege());
    }

    private void removeIds() throws SQLException {
        long removed = idempotentIds.prune();
        if (removed > 0) {
            LOG.info("Removed {} message ids of idempotent consumers that are older than their retention", removed);
        }
    }

    /** Looks for running jobs every two seconds, and runs their steps every half second while one is running. */
    private boolean advanceJobs() throws SQLException {
        boolean isDue = hasJobs || ++idleRounds >= IDLE_ROUNDS;
        if (isDue) {
            idleRounds = 0;
            hasJobs = jobs.stepAll();
        }
        return isDue;
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

    /** The task runs again soon, and the lanes report an unavailable database. */
    private void attempt(Turn turn, LastingProblem problem) {
        try {
            if (turn.take()) {
                problem.attempted(Optional.empty());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the relay is stopping
        } catch (SQLException | RuntimeException e) {
            LOG.debug("A housekeeping task failed", e);
            if (DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps).isEmpty()) {
                problem.attempted(Optional.of(Reason.of(e)));
            }
        }
        taskEndedAt = clock.nanos();
    }

    /** Ends the tasks and releases the lease. If a task or the release lasts, because the database hangs, the lease ends by itself. */
    @Override
    public void close() {
        timer.shutdownNow();
        try {
            if (timer.awaitTermination(LAST_TASK.toMillis(), MILLISECONDS)) {
                release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void release() throws InterruptedException {
        ScheduledExecutorService last = Timers.daemons("housekeeping", 1);
        last.execute(() -> attempt(
                () -> {
                    lease.release();
                    return true;
                },
                new LastingProblem("The lease of the housekeeping was not released", clock)));
        last.shutdown();
        if (!last.awaitTermination(LAST_TASK.toMillis(), MILLISECONDS)) {
            last.shutdownNow();
        }
    }
}
