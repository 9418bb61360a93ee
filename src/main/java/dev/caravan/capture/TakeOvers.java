package dev.caravan.capture;

import dev.caravan.audit.Actor;
import dev.caravan.audit.Audit;
import dev.caravan.capture.Captures.Wanted;
import dev.caravan.capture.TakeOverState.Stage;
import dev.caravan.clock.Clock;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.subscription.SubscriptionCreation;
import dev.caravan.subscription.Subscriptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** @param copied rows that were written as messages, beside those that new rows have written */
    public record Finished(TakeOverState before, long copied, boolean resumed) {}

    /** @throws CaptureRefusal with all problems of the file */
    public TakeOverState state(Path file) throws SQLException {
        return captures.inDatabase(connection -> state(connection, wanted(connection, file)));
    }

    /**
     * The SQL of the step that is next, as a script. Nothing is changed.
     *
     * @param pollerStopped as for {@link #finish}; otherwise the poller runs
     */
    public String script(Path file, boolean pollerStopped, boolean copyRest) throws SQLException {
        return captures.inDatabase(connection -> {
            Wanted wanted = wanted(connection, file);
            TakeOverState state = state(connection, wanted);
            boolean begins = state.stage() == Stage.NOT_BEGUN;
            StringBuilder script = new StringBuilder("begin;\nset local lock_timeout = '3s';\nlock table ")
                    .append(wanted.table().name())
                    .append(" in ")
                    .append(pollerStopped ? EXCLUSIVE : NO_WRITES)
                    .append(" mode;\n\n");
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
            return script.append("commit;\n").toString();
        });
    }

    /**
     * The last step, or the whole take-over if nothing has begun: the poller has been stopped.
     *
     * @param copyRest whether rows that are still pending become messages after those of new rows
     * @throws CaptureRefusal if rows are pending otherwise, or the table was not locked in time; nothing is changed
     */
    public Finished finish(Path file, boolean copyRest, Actor by) throws SQLException {
        Wanted wanted = captures.inDatabase(connection -> wanted(connection, file));
        return step(wanted, connection -> {
            TakeOverState before = state(connection, wanted);
            boolean begins = before.stage() == Stage.NOT_BEGUN;
            Optional<TakeOverSubscription> subscription = TakeOverSubscription.find(connection, before.subscription());
            if (begins && subscription.isEmpty()) {
                SubscriptionCreation.createAtEnd(connection, clock, before.subscription(), false, by);
            }
            lock(connection, wanted, EXCLUSIVE);
            if (begins) {
                Captures.install(connection, wanted);
            }
            long copied = copy(connection, wanted, begins || copyRest);
            boolean resumed = subscription
                            .filter(found -> before.stage() == Stage.DRAINING || found.isUnused())
                            .isPresent()
                    && Subscriptions.setPaused(connection, before.subscription(), false, by);
            if (begins || copied > 0 || resumed) {
                audit(connection, before, "finish", copied, by);
            }
            return new Finished(before, copied, resumed);
        });
    }

    /** Under a lock of the table, so that both statements see the same rows. */
    private static long copy(Connection connection, Wanted wanted, boolean allowed) throws SQLException {
        TakeOverSql sql = wanted.takeOver();
        long pending = number(connection, sql.count());
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
        update(connection, wanted.messages().inOrder(sql.applies("new"), sql.order()));
        update(connection, sql.markAll());
        if (number(connection, sql.count()) > 0) {
            throw new CaptureRefusal(
                    "Could not take " + wanted.table().name() + " over: rows are still pending after mark: "
                            + wanted.capture().takeOver().orElseThrow().mark().text()
                            + ". Nothing was changed. The poller would send them too. Correct mark or pending.");
        }
        return pending;
    }

    private TakeOverState state(Connection connection, Wanted wanted) throws SQLException {
        Capture capture = wanted.capture();
        String subscription = capture.takeOver().orElseThrow().subscription().text();
        Optional<TakeOverSubscription> found = TakeOverSubscription.find(connection, subscription);
        Stage stage = stage(connection, wanted, found);
        String[] types = TakeOverUndoSql.types(capture);
        return new TakeOverState(
                capture.name(),
                wanted.table().name(),
                subscription,
                stage,
                number(connection, wanted.takeOver().count()),
                stage == Stage.DRAINING ? captured(connection, capture, subscription) : 0,
                Statement.query(connection, "capture/take_over_others", row -> row.getString(1), types, subscription));
    }

    private static Stage stage(Connection connection, Wanted wanted, Optional<TakeOverSubscription> subscription)
            throws SQLException {
        Capture capture = wanted.capture();
        Optional<InstalledCapture> installed =
                InstalledCapture.find(connection, capture.name()).stream().findFirst();
        if (installed.isEmpty()) {
            return Stage.NOT_BEGUN;
        }
        if (!installed.get().marks()) {
            throw new CaptureRefusal("Could not take " + wanted.table().name() + " over: capture " + capture.name()
                    + " is installed without take-over, so its pending rows are messages already and would be sent twice. Nothing"
                    + " was changed.");
        }
        List<String> differences = Captures.differences(connection, wanted);
        if (!differences.isEmpty()) {
            throw new CaptureRefusal(
                    "Could not continue the take-over of " + wanted.table().name()
                            + ": what is installed differs from " + capture.file()
                            + ". Nothing was changed. Restore the file, or run:"
                            + " ./caravan capture apply " + capture.file() + "\n" + String.join("\n", differences));
        }
        return subscription.isPresent() && subscription.get().paused() ? Stage.DRAINING : Stage.COMPLETE;
    }

    private static long captured(Connection connection, Capture capture, String subscription) throws SQLException {
        return Statement.queryText(
                        connection,
                        "select count(*) from (" + SqlFile.file("capture/undelivered") + ") message",
                        row -> row.getLong(1),
                        subscription,
                        capture.aggregateType(),
                        TakeOverUndoSql.types(capture),
                        subscription)
                .get(0);
    }

    private static Wanted wanted(Connection connection, Path file) throws SQLException {
        Wanted wanted = Captures.wanted(connection, List.of(file), true).get(0);
        if (wanted.capture().takeOver().isEmpty()) {
            throw new CaptureRefusal("Could not take " + wanted.table().name() + " over: " + file
                    + " has no section take-over. Nothing was changed. docs/take-over.md describes it.");
        }
        return wanted;
    }

    /** One of two people at once waits for the other, and then sees what is done. */
    private <T> T step(Wanted wanted, Transaction.Work<T> work) throws SQLException {
        return captures.locking(wanted.capture().name(), wanted.table().name(), connection -> {
            Statement.query(
                    connection,
                    "capture/take_over_turn",
                    row -> null,
                    wanted.capture().function());
            return work.in(connection);
        });
    }

    private static void lock(Connection connection, Wanted wanted, String mode) throws SQLException {
        update(connection, "lock table " + wanted.table().name() + " in " + mode + " mode");
    }

    private static void audit(Connection connection, TakeOverState state, String step, long rows, Actor by)
            throws SQLException {
        Audit.write(
                connection,
                "take-over",
                state.subscription(),
                Map.of("table", state.table(), "step", step, "rows", rows),
                by);
    }

    private static void update(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        return Statement.queryText(connection, sql, row -> row.getLong(1)).get(0);
    }
}
