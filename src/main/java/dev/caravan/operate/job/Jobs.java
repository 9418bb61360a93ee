package dev.caravan.operate.job;

import dev.caravan.base.message.Json;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Job.State;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Refusal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of many messages, and of lanes, that are stored while they run. Each step is one transaction that locks the row of the job. So any
 * process may make the next step: a relay, or the command that started it.
 *
 * <p>A bulk retry is a job that observes the outcome: it retries the first few dead letters, waits until these are delivered, continues at its
 * rate, and stops when they fail again.
 */
public final class Jobs {
    /** Number of messages that a bulk retry retries first. Others are retried when their outcome is known. */
    public static final int FIRST = 5;

    /** Of one job in a row: the others, and other tasks of a relay, get their turn. */
    private static final int MAX_STEPS = 10;

    /** Number of jobs of which one round makes steps. Others follow in the next rounds. */
    private static final int JOBS_OF_ROUND = 100;

    /** In bytes, as in the constraint outbox_job_texts_are_short. */
    private static final int LONGEST_TEXT = 10_000;

    private static final int LONGEST_DETAILS = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final Duration RETENTION = Duration.ofDays(7);
    private final DataSource dataSource;
    private final boolean storesDiscarded;
    /** The progress of each job whose last step in this process failed, by id. */
    private final Map<Long, Long> stuck = new ConcurrentHashMap<>();
    /** The last job of the previous round. */
    private long after = Long.MIN_VALUE;

    /** The work of a job. Jobs with equal tasks do not run at the same time. */
    public record Task(String action, Optional<String> subscription, Map<String, ?> details) {}

    /** The bulk retries of a subscription in one state. */
    public record Count(String subscription, State state, long number) {}

    private record Changed(Optional<String> subscription, String action, boolean observed, List<Long> started) {}

    public Jobs(DataSource dataSource) {
        this(dataSource, false);
    }

    /**
     * @param storesDiscarded whether steps of this process store what each job discards, also if the job says that it is not stored: any role
     *     that may insert a job could otherwise make a relay delete dead letters
     */
    public Jobs(DataSource dataSource, boolean storesDiscarded) {
        this.dataSource = dataSource;
        this.storesDiscarded = storesDiscarded;
    }

    /**
     * Starts a job.
     *
     * @param rate maximum number of messages changed per second; empty for no limit
     * @param discard id of the discard that it makes
     * @param total number of messages that match; empty if it counts them first
     * @throws Refusal if a job with the same task is running
     */
    public Job start(Task task, OptionalInt rate, Optional<UUID> discard, OptionalLong total, Actor actor)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Optional<Job> running = running(connection, task);
            if (running.isPresent()) {
                throw new Refusal("Job " + running.get().id() + " is already doing this. Nothing was started.");
            }
            return insert(connection, task, rate, discard, total, actor);
        });
    }

    /** The same, but continues the running job with the same task if there is one, for example of a command that was killed. */
    public Job startOrContinue(Task task, OptionalInt rate, Optional<UUID> discard, OptionalLong total, Actor actor)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            Optional<Job> running = running(connection, task);
            return running.isPresent() ? running.get() : insert(connection, task, rate, discard, total, actor);
        });
    }

    private static Job insert(
            Connection connection, Task task, OptionalInt rate, Optional<UUID> discard, OptionalLong total, Actor actor)
            throws SQLException {
        Long entry = task.action.equals("replay") ? auditOfReplay(connection, task, actor) : null;
        return insert(task, rate, actor)
                .with("discard", discard.orElse(null))
                .with("first", null)
                .with("total", total.orElse(0))
                .with("counting", total.isEmpty())
                .with("audit", entry)
                .first(connection, Job::of)
                .orElseThrow(() -> new Refusal("Another job is already doing this. Nothing was started."));
    }

    private static Sql insert(Task task, OptionalInt rate, Actor actor) {
        String details = Json.line(task.details);
        requireShort("filter", details, LONGEST_DETAILS);
        requireShort("name of the person", actor.who(), LONGEST_TEXT);
        requireShort("reason", actor.reason().orElse(""), LONGEST_TEXT);
        return Sql.file("operate/job_start")
                .with("action", task.action)
                .with("subscription", task.subscription.orElse(null))
                .with("details", details)
                .with("rate", rate.isPresent() ? rate.getAsInt() : null)
                .with("who", actor.who())
                .with("via", actor.via().text())
                .with("reason", actor.reason().orElse(null));
    }

    private static void requireShort(String what, String text, int bytes) {
        if (text.getBytes(StandardCharsets.UTF_8).length > bytes) {
            throw new Refusal("The " + what + " is longer than " + bytes + " bytes. Nothing was started.");
        }
    }

    private static long auditOfReplay(Connection connection, Task task, Actor actor) throws SQLException {
        Map<String, Object> detail = new LinkedHashMap<>(task.details);
        detail.put("messages", 0);
        detail.put("finished", false);
        return Audit.write(connection, "replay", task.subscription.orElseThrow(), detail, actor);
    }

    private static Optional<Job> running(Connection connection, Task task) throws SQLException {
        return Sql.file("operate/job_same")
                .with("action", task.action)
                .with("subscription", task.subscription.orElse(null))
                .with("details", Json.line(task.details))
                .first(connection, Job::of);
    }

    /** Starts a job without a rate, and makes steps until it has ended. Another process may make some of them. */
    public Job run(Task task, Actor actor) throws SQLException {
        Job job = start(task, OptionalInt.empty(), Optional.empty(), OptionalLong.empty(), actor);
        while (job.isRunning()) {
            step(job.id());
            job = find(job.id()).orElseThrow();
        }
        return job;
    }

    /** Whether a relay makes attempts for a subscription, so that the outcome of a retry can be observed. */
    public boolean isObserved(String subscription) throws SQLException {
        return Transaction.run(dataSource, connection -> JobStep.isObserved(connection, subscription));
    }

    /**
     * The filter, limited to dead letters that failed before now. Called before the dead letters are counted, so that the result selects
     * those that were counted.
     */
    public MessageFilter untilNow(MessageFilter filter) throws SQLException {
        return filter.before(DatabaseClock.now(dataSource));
    }

    /**
     * Starts a bulk retry of the dead letters of a subscription that match now.
     *
     * @param matched number of dead letters that match
     * @param rate maximum number of messages retried per second; empty for no limit
     */
    public Job startBulkRetry(MessageFilter filter, String subscription, long matched, OptionalInt rate, Actor actor)
            throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> startBulkRetry(
                        connection, subscription, filter.fields(), OptionalLong.of(matched), rate, actor));
    }

    /** @param matched number of dead letters that match; empty if it counts them first */
    static Job startBulkRetry(
            Connection connection,
            String subscription,
            Map<String, Object> filter,
            OptionalLong matched,
            OptionalInt rate,
            Actor actor)
            throws SQLException {
        Task task = new Task("retry", Optional.of(subscription), Map.of("of", "dead letters", "filter", filter));
        Job started = insert(task, rate, actor)
                .with("discard", null)
                .with("first", FIRST)
                .with("total", matched.orElse(0))
                .with("counting", matched.isEmpty())
                .with("audit", null)
                .first(connection, Job::of)
                .orElseThrow();
        Audit.write(connection, "retry", subscription, Map.of("bulkRetry", started.id(), "change", "start"), actor);
        return started;
    }

    /** Counts the bulk retries that are running, paused or stopped, by subscription and state. */
    public static List<Count> counts(DataSource dataSource) throws SQLException {
        return Transaction.run(
                dataSource, connection -> Sql.file("operate/job_counts").query(connection, Count.class));
    }

    /** The latest jobs without bulk retries, newest first. */
    public List<Job> latest(int limit) throws SQLException {
        return latest(false, limit);
    }

    /** The latest bulk retries, newest first. */
    public List<Job> latestBulkRetries(int limit) throws SQLException {
        return latest(true, limit);
    }

    private List<Job> latest(boolean observed, int limit) throws SQLException {
        return Transaction.run(dataSource, connection -> Sql.file("operate/job_list")
                .with("observed", observed)
                .with("rows", limit)
                .query(connection, Job::of));
    }

    public Optional<Job> find(long id) throws SQLException {
        return Transaction.run(dataSource, connection -> find(connection, id));
    }

    static Optional<Job> find(Connection connection, long id) throws SQLException {
        return Sql.file("operate/job_by_id").with("id", id).first(connection, Job::of);
    }

    /**
     * Reads those bulk retries that still exist: deleting a subscription deletes its bulk retries. On a replica that was promoted without
     * them, others can have their ids.
     */
    public List<Job> existing(List<Job> started) throws SQLException {
        List<Job> existing = new ArrayList<>();
        for (Job each : started) {
            find(each.id())
                    .filter(found -> found.startedAt().equals(each.startedAt()))
                    .ifPresent(existing::add);
        }
        return existing;
    }

    /** Pauses a bulk retry: no more messages are retried until it is resumed. @return false if it is not running */
    public boolean pause(long id, Actor actor) throws SQLException {
        return change(id, State.PAUSED, "pause", actor, State.RUNNING);
    }

    /** Resumes a bulk retry, also one that stopped by itself. @return false if it is neither paused nor stopped */
    public boolean resume(long id, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            if (change(connection, id, State.RUNNING, "resume", actor, State.STOPPED)) {
                JobStep.countOutcomes(connection, id); // failures before the resume must not stop it again
                return true;
            }
            return change(connection, id, State.RUNNING, "resume", actor, State.PAUSED);
        });
    }

    /** Cancels a job, and the bulk retries that it has started. What was changed remains changed. @return false if it has ended */
    public boolean cancel(long id, Actor actor) throws SQLException {
        return change(id, State.CANCELLED, "cancel", actor, State.RUNNING, State.PAUSED, State.STOPPED);
    }

    private boolean change(long id, State to, String change, Actor actor, State... from) throws SQLException {
        return Transaction.run(dataSource, connection -> change(connection, id, to, change, actor, from));
    }

    private static boolean change(Connection connection, long id, State to, String change, Actor actor, State... from)
            throws SQLException {
        Optional<Changed> changed = Sql.file("operate/job_change")
                .with("first", FIRST)
                .with("state", to.text())
                .with("id", id)
                .with("from", Stream.of(from).map(State::text).toArray(String[]::new))
                .first(connection, Changed.class);
        if (changed.isPresent()) {
            consequences(connection, id, changed.get(), to, change, actor, from);
        }
        return changed.isPresent();
    }

    private static void consequences(
            Connection connection, long id, Changed changed, State to, String change, Actor actor, State... from)
            throws SQLException {
        Audit.write(
                connection,
                changed.action,
                changed.subscription.orElse("*"),
                Map.of(changed.observed ? "bulkRetry" : "job", id, "change", change),
                actor);
        if (changed.action.equals("lanes")) {
            LaneChange.removeBarrier(connection, changed.subscription.orElseThrow());
        }
        for (long part : changed.started) {
            change(connection, part, to, change, actor, from);
        }
    }

    /**
     * Makes steps of the next 100 running jobs, as many as their rate and the outcomes allow now, up to a bound. Several relays may call it
     * at the same time.
     *
     * @return whether any may be running
     */
    public boolean stepAll() throws SQLException {
        long first = after;
        List<Long> running = Sql.file("operate/running_jobs")
                .with("after", first)
                .with("rows", JOBS_OF_ROUND)
                .query(dataSource, row -> row.getLong(1));
        boolean isEnd = running.size() < JOBS_OF_ROUND;
        after = isEnd ? Long.MIN_VALUE : running.get(JOBS_OF_ROUND - 1);
        stuck.keySet().removeIf(id -> id > first && (isEnd || id <= after) && !running.contains(id));
        Optional<SQLException> failure = Optional.empty();
        for (long id : running) {
            try {
                steps(id);
                stuck.remove(id);
            } catch (SQLException e) {
                failure = Optional.of(e); // the others continue
                report(id, e);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        return !running.isEmpty() || first != Long.MIN_VALUE;
    }

    /**
     * Reports a failure that lasts until a person acts: once in the log, and in the list of jobs unless a process has made progress
     * since the previous failure. An exception during the report is added to the failure.
     */
    private void report(long id, SQLException failed) {
        Optional<String> text = DatabaseFailure.in(failed)
                .filter(failure -> !failure.waitingHelps())
                .map(DatabaseFailure::text);
        if (text.isEmpty()) {
            return;
        }
        try {
            long progress =
                    find(id).map(it -> it.done() + it.delivered() + it.failed()).orElse(0L);
            Long before = stuck.put(id, progress);
            if (before == null) {
                LOG.warn("Could not continue job {}, will retry: {}", id, text.get());
            } else if (before == progress) {
                Transaction.run(dataSource, connection -> Sql.file("operate/job_stuck")
                        .with("waitsFor", "a person: " + text.get())
                        .with("id", id)
                        .update(connection));
            }
        } catch (SQLException e) {
            failed.addSuppressed(e);
        }
    }

    /** Deletes the jobs that ended more than seven days ago. */
    public void prune() throws SQLException {
        Transaction.run(dataSource, connection -> Sql.file("operate/prune_jobs")
                .with("seconds", RETENTION.toSeconds())
                .update(connection));
    }

    private void steps(long id) throws SQLException {
        int steps = 1;
        while (step(id) && steps < MAX_STEPS) {
            steps++;
        }
    }

    /**
     * Makes one step of a job, unless it is not running or another process is making a step. A job that cannot continue has failed.
     *
     * @return whether the next step can do more at once
     */
    public boolean step(long id) throws SQLException {
        try {
            return Transaction.run(dataSource, connection -> JobStep.run(connection, id, storesDiscarded));
        } catch (Refusal e) {
            fail(id, e.getMessage());
        } catch (RuntimeException | LinkageError e) {
            LOG.error("Could not continue job {}", id, e);
            fail(id, e.getClass().getSimpleName() + ". The log shows where.");
        }
        return false;
    }

    private void fail(long id, String error) throws SQLException {
        Transaction.run(dataSource, connection -> Sql.file("operate/job_fail")
                .with("error", error)
                .with("id", id)
                .update(connection));
    }
}
