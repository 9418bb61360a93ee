package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.Captures.Wanted;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The state of a take-over.
 *
 * @param pending rows that are not sent and not captured
 * @param captured messages that the paused subscription has not delivered; 0 in other stages
 * @param others subscriptions that deliver messages of these types at once
 * @param triggers triggers of the table that fire when a row is marked, and whose functions depend on the {@code search_path}
 */
public record TakeOverState(
        String table,
        String subscription,
        Stage stage,
        long pending,
        long captured,
        List<String> others,
        List<Trigger> triggers) {
    /**
     * A trigger of the application.
     *
     * @param function with its schema where needed, and with parentheses
     */
    public record Trigger(String name, String function) {}

    /** The stages of a take-over. */
    public enum Stage {
        /** The poller sends; nothing is installed. */
        NOT_BEGUN,
        /** New rows are captured, and their messages wait in the paused subscription until the poller has sent the old rows. */
        DRAINING,
        /** The subscription delivers. */
        COMPLETE
    }

    static TakeOverState of(Connection connection, Wanted wanted) throws SQLException {
        Capture capture = wanted.capture();
        String subscription = wanted.subscription();
        Stage stage = stage(connection, wanted, TakeOverSubscription.find(connection, subscription));
        return new TakeOverState(
                wanted.table().name(),
                subscription,
                stage,
                Captures.onRows(
                        connection,
                        wanted,
                        rows -> Sql.number(rows, wanted.takeOver().count())),
                stage == Stage.DRAINING
                        ? Sql.number(
                                connection,
                                "select count(*) from (" + wanted.takeOver().undelivered() + ") message")
                        : 0,
                Sql.file("adopt/take_over_others")
                        .with("types", TakeOverSql.types(capture))
                        .with("subscription", subscription)
                        .query(connection, row -> row.getString("name")),
                Sql.file("adopt/take_over_triggers")
                        .with("oid", wanted.table().oid())
                        .with("deletes", capture.takeOver().orElseThrow().deletes())
                        .query(connection, Trigger.class));
    }

    private static Stage stage(Connection connection, Wanted wanted, Optional<TakeOverSubscription> subscription)
            throws SQLException {
        Capture capture = wanted.capture();
        Optional<InstalledCapture> installed = InstalledCapture.find(connection, capture.name());
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
            throw new CaptureRefusal("Could not continue the take-over of "
                    + wanted.table().name() + ": what is installed differs from " + capture.file()
                    + ". Nothing was changed. Restore the file, or run: ./caravan capture apply " + capture.file()
                    + "\n"
                    + String.join("\n", differences));
        }
        String name = wanted.subscription();
        return subscription
                        .orElseThrow(() -> new CaptureRefusal("Could not continue the take-over of "
                                + wanted.table().name() + ": subscription " + name
                                + " does not exist, so nobody delivers its messages. Nothing was changed. Create it again, from the"
                                + " first message that is not delivered: ./caravan subscriptions create " + name
                                + " --paused --start ID"))
                        .paused()
                ? Stage.DRAINING
                : Stage.COMPLETE;
    }
}
