package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.DatabaseClock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.BulkRetry.State;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bulk retries that observe their outcome: they retry the first few dead letters, wait until these are delivered, continue at their rate,
 * and stop when they fail again. Each step is one transaction that locks the row of the bulk retry. So any process may make the next step:
 * a relay, or the command that started it.
 */
public final class BulkRetries {
    /** Number of messages that are retried first. Others are retried when their outcome is known. */
    public static final int FIRST = 5;

    /** Of one bulk retry in a row: the others, and other tasks of a relay, get their turn. */
    private static final int MAX_STEPS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(BulkRetries.class);
    private static final Duration RETENTION = Duration.ofDays(7);
    private final DataSource dataSource;
    /** The progress of each bulk retry whose last step in this process failed, by id. */
    private final Map<Long, Long> stuck = new ConcurrentHashMap<>();

    public BulkRetries(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Whether a relay makes attempts for a subscription, so that the outcome of a retry can be observed. */
    public boolean isObserved(String subscription) throws SQLException {
        return Transaction.run(dataSource, connection -> BulkRetryStep.isObserved(connection, subscription));
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
    public BulkRetry start(MessageFilter filter, String subscription, long matched, OptionalInt rate, Actor actor)
            throws SQLException {
        return start(filter, subscription, null, matched, rate, actor);
    }

    /**
     * Starts a bulk retry of dead letters that a person selected one by one.
     *
     * @param filter from {@link #untilNow}, called before they were selected: those that fail later are not retried
     * @param ids of the messages, at most 1,000
     */
    public BulkRetry startSelected(MessageFilter filter, String subscription, long[] ids, OptionalInt rate, Actor actor)
            throws SQLException {
        return start(filter, subscription, ids, ids.length, rate, actor);
    }

    private BulkRetry start(
            MessageFilter filter, String subscription, long[] ids, long matched, OptionalInt rate, Actor actor)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            BulkRetry started = Statement.query(
                            connection,
                            "operate/bulk_retry_start",
                            BulkRetry::of,
                            subscription,
                            filter.likeTypes(),
                            filter.key().map(Key::type).orElse(null),
                            filter.key().map(Key::id).orElse(null),
                            filter.error().orElse(null),
                            filter.group().map(ErrorGroup::hash).orElse(null),
                            ids,
                            filter.since().orElse(Instant.MIN),
                            filter.until().orElse(Instant.MAX),
                            FIRST,
                            rate.isPresent() ? rate.getAsInt() : null,
                            matched,
                            actor.who(),
                            actor.via().text(),
                            actor.reason().orElse(null))
                    .get(0);
            audit(connection, started.id(), subscription, "start", actor);
            return started;
        });
    }

    private static void audit(Connection connection, long id, String subscription, String change, Actor actor)
            throws SQLException {
        Audit.write(connection, "retry", subscription, Map.of("bulkRetry", id, "change", change), actor);
    }

    /** The bulk retries of a subscription in one state. */
    public record Count(String subscription, State state, long number) {}

    /** Counts the bulk retries that are running, paused or stopped, by subscription and state. */
    public static List<Count> counts(DataSource dataSource) throws SQLException {
        return Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection,
                        "operate/bulk_retry_counts",
                        row -> new Count(
                                row.getString("subscription"),
                                State.of(row.getString("state")),
                                row.getLong("number"))));
    }

    /** The latest bulk retries, newest first. */
    public List<BulkRetry> latest(int limit) throws SQLException {
        return Transaction.run(
                dataSource, connection -> Statement.query(connection, "operate/bulk_retry_list", BulkRetry::of, limit));
    }

    public Optional<BulkRetry> find(long id) throws SQLException {
        return Transaction.run(
                        dataSource,
                        connection -> Statement.query(connection, "operate/bulk_retry_by_id", BulkRetry::of, id))
                .stream()
                .findFirst();
    }

    /**
     * Reads those bulk retries that still exist: deleting a subscription deletes its bulk retries. On a replica that was promoted without
     * them, others can have their ids.
     */
    public List<BulkRetry> existing(List<BulkRetry> started) throws SQLException {
        List<BulkRetry> existing = new ArrayList<>();
        for (BulkRetry each : started) {
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
                BulkRetryStep.countOutcomes(connection, id); // failures before the resume must not stop it again
                return true;
            }
            return change(connection, id, State.RUNNING, "resume", actor, State.PAUSED);
        });
    }

    /** Cancels a bulk retry. Messages that were retried remain retried. @return false if it has ended */
    public boolean cancel(long id, Actor actor) throws SQLException {
        return change(id, State.CANCELLED, "cancel", actor, State.RUNNING, State.PAUSED, State.STOPPED);
    }

    private boolean change(long id, State to, String change, Actor actor, State... from) throws SQLException {
        return Transaction.run(dataSource, connection -> change(connection, id, to, change, actor, from));
    }

    private static boolean change(Connection connection, long id, State to, String change, Actor actor, State... from)
            throws SQLException {
        List<String> changed = Statement.query(
                connection,
                "operate/bulk_retry_change",
                row -> row.getString(1),
                FIRST,
                to.text(),
                id,
                Stream.of(from).map(State::text).toArray(String[]::new));
        for (String subscription : changed) {
            audit(connection, id, subscription, change, actor);
        }
        return !changed.isEmpty();
    }

    /**
     * Makes steps of each running bulk retry, as many as its rate and its outcomes allow now, up to a bound. Several relays may call it at the
     * same time.
     *
     * @return whether any is running
     */
    public boolean stepAll() throws SQLException {
        List<Long> running = Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "operate/bulk_retry_running", row -> row.getLong(1)));
        stuck.keySet().retainAll(running);
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
        return !running.isEmpty();
    }

    /**
     * Reports a failure that lasts until a person acts: once in the log, and in the list of bulk retries unless a process has made progress
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
            long progress = find(id).map(it -> it.retried() + it.delivered() + it.failed())
                    .orElse(0L);
            Long before = stuck.put(id, progress);
            if (before == null) {
                LOG.warn("Could not continue bulk retry {}, will retry: {}", id, text.get());
            } else if (before == progress) {
                Transaction.run(
                        dataSource,
                        connection -> Statement.update(
                                connection, "operate/bulk_retry_stuck", "a person: " + text.get(), id));
            }
        } catch (SQLException e) {
            failed.addSuppressed(e);
        }
    }

    /** Deletes the bulk retries that ended more than seven days ago. */
    public void prune() throws SQLException {
        Transaction.run(
                dataSource,
                connection -> Statement.update(connection, "operate/prune_bulk_retries", RETENTION.toSeconds()));
    }

    private void steps(long id) throws SQLException {
        int steps = 1;
        while (step(id) && steps < MAX_STEPS) {
            steps++;
        }
    }

    /**
     * Makes one step of a bulk retry, unless it is not running or another process is making a step.
     *
     * @return whether the next step can retry more at once
     */
    public boolean step(long id) throws SQLException {
        return Transaction.run(dataSource, connection -> BulkRetryStep.run(connection, id));
    }
}
