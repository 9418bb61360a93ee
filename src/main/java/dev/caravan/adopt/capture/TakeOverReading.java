package dev.caravan.adopt.capture;

import dev.caravan.adopt.capture.Captures.Wanted;
import dev.caravan.adopt.capture.TakeOverState.Stage;
import dev.caravan.database.Sql;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads the state of a take-over from the database. */
final class TakeOverReading {
    private TakeOverReading() {}

    /** @throws CaptureRefusal with all problems of the file */
    static Wanted wanted(Connection connection, Path file) throws SQLException {
        Wanted wanted = Captures.wanted(connection, List.of(file), true).get(0);
        if (wanted.capture().takeOver().isEmpty()) {
            throw new CaptureRefusal("Could not take " + wanted.table().name() + " over: " + file
                    + " has no section take-over. Nothing was changed. docs/take-over.md describes it.");
        }
        return wanted;
    }

    static TakeOverState state(Connection connection, Wanted wanted) throws SQLException {
        Capture capture = wanted.capture();
        String subscription = capture.takeOver().orElseThrow().subscription().text();
        Stage stage = stage(connection, wanted, TakeOverSubscription.find(connection, subscription));
        return new TakeOverState(
                wanted.table().name(),
                subscription,
                stage,
                Sql.number(connection, wanted.takeOver().count()),
                stage == Stage.DRAINING
                        ? Sql.number(
                                connection,
                                "select count(*) from (" + TakeOverUndoSql.undelivered(capture) + ") message")
                        : 0,
                Sql.file("adopt/take_over_others")
                        .with("types", TakeOverUndoSql.types(capture))
                        .with("subscription", subscription)
                        .query(connection, row -> row.getString("name")),
                Sql.file("adopt/take_over_triggers")
                        .with("oid", wanted.table().oid())
                        .with("deletes", capture.takeOver().orElseThrow().deletes())
                        .query(connection, TakeOverState.Trigger.class));
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
            throw new CaptureRefusal("Could not continue the take-over of "
                    + wanted.table().name() + ": what is installed differs from " + capture.file()
                    + ". Nothing was changed. Restore the file, or run: ./caravan capture apply " + capture.file()
                    + "\n"
                    + String.join("\n", differences));
        }
        String name = capture.takeOver().orElseThrow().subscription().text();
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

    /**
     * Whether the capture may be installed again from its file.
     *
     * @throws CaptureRefusal if the table is not taken over, or if an undo would not find the messages of waiting rows
     */
    static void requireApplicable(Connection connection, Wanted wanted) throws SQLException {
        Capture capture = wanted.capture();
        String refused = "Could not install capture " + capture.name() + ": ";
        Optional<InstalledCapture> installed =
                InstalledCapture.find(connection, capture.name()).stream().findFirst();
        if (installed.isEmpty()) {
            throw new CaptureRefusal(refused + capture.file()
                    + " has a section take-over. Nothing was changed. Run: ./caravan capture take-over "
                    + capture.file());
        }
        String subscription = capture.takeOver().orElseThrow().subscription().text();
        boolean waiting = TakeOverSubscription.find(connection, subscription)
                .filter(TakeOverSubscription::paused)
                .isPresent();
        if (waiting && !installed.get().body().equals(wanted.sql().body())) {
            throw new CaptureRefusal(
                    refused + "the take-over is not complete, and with another function it could not be undone."
                            + " Nothing was changed. Complete it or undo it with the file as it was, or resume "
                            + subscription + " first.");
        }
    }
}
