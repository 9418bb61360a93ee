package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.Captures.Wanted;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.SqlText;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.SubscriptionCreation;
import dev.caravan.operate.subscription.Subscriptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Hands a table over from a poller of the application to a subscription. Each step is one transaction, and the database alone shows which
 * steps are done, so a step can be repeated after a crash, by another person too.
 */
public final class TakeOvers {
    /** Also waits for a poller that has locked rows to send them. */
    private static final String EXCLUSIVE = "exclusive";
    /** Waits for transactions that have written, whose rows are visible and pending then. */
    private static final String NO_WRITES = "share row exclusive";

    private final Captures captures;
    private final Clock clock;

    public TakeOvers(DataSource dataSource, Clock clock) {
        this.captures = new Captures(dataSource);
        this.clock = clock;
    }

    /** @param copied rows that this step has written as messages; messages of new rows are not counted */
    public record Finished(TakeOverState before, long copied, boolean paused) {}

    /**
     * @param messages that were removed from the outbox
     * @param rows that are pending again
     * @param deleted whether the subscription was deleted
     */
    public record Undone(TakeOverState before, long messages, long rows, boolean deleted) {}

    /** @throws CaptureRefusal with all problems of the file */
    public TakeOverState state(Path file) throws SQLException {
        return captures.inDatabase(connection -> TakeOverState.of(connection, wanted(connection, file)));
    }

    /**
     * Returns the SQL of the next step, as a script. Changes nothing.
     *
     * @param pollerStopped as for {@link #finish}; otherwise the poller runs
     */
    public String script(Path file, boolean pollerStopped, boolean copyRest) throws SQLException {
        return captures.inDatabase(connection -> {
            Wanted wanted = wanted(connection, file);
            TakeOverState state = TakeOverState.of(connection, wanted);
            boolean begins = state.stage() == Stage.NOT_BEGUN;
            StringBuilder script = new StringBuilder(beginning(wanted, pollerStopped ? EXCLUSIVE : NO_WRITES));
            if (begins) {
                script.append(wanted.sql().script()).append('\n');
            }
            if (pollerStopped && (begins || copyRest)) {
                TakeOverSql sql = wanted.takeOver();
                script.append(wanted.messages().inOrder(sql.applies("new"), sql.order()))
                        .append(";\n\n")
                        .append(sql.markAll())
                        .append(";\n\n");
            }
            if (pollerStopped && state.stage() == Stage.DRAINING) {
                script.append("update outbox_subscription set paused = false where name = ")
                        .append(SqlText.literal(state.subscription()))
                        .append(";\n\n");
            }
            return script.append("commit;\n").toString();
        });
    }

    /** The SQL of {@link #undo}, without the deletion of the subscription. */
    public String undoScript(Path file) throws SQLException {
        return captures.inDatabase(connection -> {
            Wanted wanted = undoable(file);
            String triggers = InstalledCapture.find(connection, wanted.capture().name()).stream()
                    .flatMap(installed -> installed.own().stream())
                    .map(trigger -> trigger.drop() + ";\n")
                    .collect(Collectors.joining());
            return beginning(wanted, NO_WRITES) + triggers + "drop function "
                    + wanted.sql().functionName() + "();\n\n"
                    + wanted.takeOver().undo() + ";\n\ncommit;\n";
        });
    }

    /** The first statements of a script. It finds the tables of this outbox even if the session that runs it would find another one. */
    private static String beginning(Wanted wanted, String lockMode) {
        return "begin;\nset local lock_timeout = '3s';\nset local standard_conforming_strings = on;\nset local search_path = "
                + wanted.table().schema() + ";\nlock table " + wanted.table().name() + " in " + lockMode
                + " mode;\n\n";
    }

    /**
     * The first step while the poller runs: new rows are captured and hidden from it, and their messages wait. The subscription is
     * created paused. Does nothing if the step is done already.
     *
     * @throws CaptureRefusal if the subscription has delivered messages, or the table was not locked in time; nothing is changed
     */
    public TakeOverState begin(Path file, Actor by) throws SQLException {
        Wanted wanted = undoable(file);
        return step(wanted, connection -> {
            lockSubscription(connection, wanted);
            TakeOverState before = TakeOverState.of(connection, wanted);
            if (before.stage() != Stage.NOT_BEGUN) {
                return before;
            }
            Optional<TakeOverSubscription> subscription = TakeOverSubscription.find(connection, before.subscription());
            if (subscription.isEmpty()) {
                SubscriptionCreation.createAtEnd(connection, clock, before.subscription(), true, by);
            } else {
                subscription.get().requireReady(before.subscription(), before.table());
            }
            lock(connection, wanted, NO_WRITES);
            Captures.install(connection, wanted);
            audit(connection, before, "begin", before.pending(), subscription.isEmpty(), by);
            return TakeOverState.of(connection, wanted);
        });
    }

    /**
     * Makes each row whose message is not delivered pending again, for the poller. Deletes the subscription if the take-over has created
     * it and it has delivered nothing. Possible while the subscription is paused.
     *
     * @throws CaptureRefusal if it is not paused, or the table was not locked in time; nothing is changed
     */
    public Undone undo(Path file, Actor by) throws SQLException {
        Wanted wanted = undoable(file);
        String name = wanted.subscription();
        return step(wanted, connection -> {
            lockSubscription(connection, wanted);
            TakeOverState before = TakeOverState.of(connection, wanted);
            Optional<TakeOverSubscription> subscription = TakeOverSubscription.find(connection, name);
            TakeOverSubscription.requireStopped(before, subscription);
            lock(connection, wanted, NO_WRITES);
            Captures.drop(
                    connection,
                    InstalledCapture.find(connection, wanted.capture().name()).orElseThrow());
            long[] numbers = Captures.onRows(connection, wanted, rows -> Sql.rows(
                            rows, wanted.takeOver().undo(), row -> new long[] {row.getLong(1), row.getLong(2)})
                    .get(0));
            boolean deleted =
                    subscription.orElseThrow().isUnused() && TakeOverSubscription.isOfTakeOver(connection, name);
            if (deleted) {
                Subscriptions.deleteLanes(connection, name);
            }
            Audit.write(
                    connection,
                    "take-over-undo",
                    name,
                    Map.of("table", before.table(), "messages", numbers[0], "rows", numbers[1]),
                    by);
            return new Undone(before, numbers[0], numbers[1], deleted);
        });
    }

    /** @throws CaptureRefusal with all problems of the file */
    static Wanted wanted(Connection connection, Path file) throws SQLException {
        Wanted wanted = Captures.wanted(connection, List.of(file), true).get(0);
        if (wanted.capture().takeOver().isEmpty()) {
            throw new CaptureRefusal("Could not take " + wanted.table().name() + " over: " + file
                    + " has no section take-over. Nothing was changed. docs/take-over.md describes it.");
        }
        return wanted;
    }

    private Wanted undoable(Path file) throws SQLException {
        Wanted wanted = captures.inDatabase(connection -> wanted(connection, file));
        wanted.takeOver().problemOfUndo().ifPresent(problem -> {
            throw new CaptureRefusal(
                    "Each step while the poller runs must be possible to undo. Nothing was changed.\n" + problem);
        });
        return wanted;
    }

    /**
     * The last step, or the whole take-over if it has not begun. The poller must be stopped before.
     *
     * @param copyRest whether rows that are still pending become messages after those of new rows
     * @throws CaptureRefusal if rows are pending and {@code copyRest} is false, or the table was not locked in time; nothing is changed
     */
    public Finished finish(Path file, boolean copyRest, Actor by) throws SQLException {
        Wanted wanted = captures.inDatabase(connection -> wanted(connection, file));
        return step(wanted, connection -> {
            lockSubscription(connection, wanted);
            TakeOverState before = TakeOverState.of(connection, wanted);
            boolean begins = before.stage() == Stage.NOT_BEGUN;
            Optional<TakeOverSubscription> subscription = TakeOverSubscription.find(connection, before.subscription());
            if (begins && subscription.isEmpty()) {
                SubscriptionCreation.createAtEnd(connection, clock, before.subscription(), false, by);
            }
            lock(connection, wanted, EXCLUSIVE);
            if (begins) {
                Captures.install(connection, wanted);
            }
            long copied = Captures.onRows(connection, wanted, rows -> copy(rows, wanted, begins || copyRest));
            boolean resumed = subscription
                            .filter(found -> before.stage() == Stage.DRAINING || found.isUnused())
                            .isPresent()
                    && Subscriptions.setPaused(connection, before.subscription(), false, by);
            if (begins || copied > 0 || resumed) {
                audit(connection, before, "finish", copied, subscription.isEmpty(), by);
            }
            return new Finished(
                    before,
                    copied,
                    subscription.isPresent() && subscription.get().paused() && !resumed);
        });
    }

    /** Call it under a lock of the table, so that all statements see the same rows. */
    private static long copy(Connection connection, Wanted wanted, boolean allowed) throws SQLException {
        TakeOverSql sql = wanted.takeOver();
        long pending = Sql.number(connection, sql.count());
        if (pending == 0) {
            return 0;
        }
        if (!allowed) {
            throw new CaptureRefusal(
                    "Could not complete the take-over of " + wanted.table().name() + ": rows are pending: "
                            + pending
                            + ". Nothing was changed. Start the poller again until it has sent them. Or let the subscription send them,"
                            + " after the messages of newer rows: add --copy-rest");
        }
        wanted.messages().set(connection);
        Sql.execute(connection, wanted.messages().inOrder(sql.applies("new"), sql.order()));
        Sql.execute(connection, sql.markAll());
        if (Sql.number(connection, sql.count()) > 0) {
            throw new CaptureRefusal(
                    "Could not take " + wanted.table().name() + " over: rows are still pending after mark: "
                            + wanted.capture().takeOver().orElseThrow().mark().text()
                            + ". Nothing was changed. The poller would send them too. Correct mark or pending.");
        }
        return pending;
    }

    /** Runs a step in a transaction. If two people run a step at the same time, one waits for the other and then sees its result. */
    private <T> T step(Wanted wanted, Transaction.Work<T> work) throws SQLException {
        return captures.locking(wanted.capture().name(), wanted.table().name(), connection -> {
            takeTurn(connection, wanted.capture().name());
            return work.in(connection);
        });
    }

    private void takeTurn(Connection connection, String capture) throws SQLException {
        String lock = "caravan take-over " + capture;
        try {
            Sql.file("adopt/take_over_turn").with("lock", lock).query(connection, row -> 0);
        } catch (SQLException e) {
            if (Captures.NOT_LOCKED.equals(e.getSQLState())) {
                throw captures.isLocked("a step of the take-over of " + capture, lock);
            }
            throw e;
        }
    }

    /** The owner of the table can give it no index or policy any more that would run with the rights of this role. */
    private static void lock(Connection connection, Wanted wanted, String mode) throws SQLException {
        Sql.execute(connection, "lock table " + wanted.table().name() + " in " + mode + " mode");
        Optional<String> foreign = TakeOverCheck.foreignCode(connection, wanted.table());
        if (foreign.isPresent()) {
            throw new CaptureRefusal(
                    "Could not take " + wanted.table().name() + " over: " + foreign.get() + ". Nothing was changed.");
        }
    }

    /** Locks the subscription until the end of the transaction: nobody pauses or resumes it, and no relay works it. */
    private static void lockSubscription(Connection connection, Wanted wanted) throws SQLException {
        LaneChange.lockLanes(connection, wanted.subscription());
    }

    private static void audit(
            Connection connection, TakeOverState state, String step, long rows, boolean created, Actor by)
            throws SQLException {
        Audit.write(
                connection,
                "take-over",
                state.subscription(),
                Map.of("table", state.table(), "step", step, "rows", rows, "created", created),
                by);
    }
}
