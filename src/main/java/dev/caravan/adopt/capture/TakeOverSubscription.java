package dev.caravan.adopt.capture;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The subscription of a take-over as it is now.
 *
 * @param holder relays that hold its lease; null for none
 * @param waiting messages that wait for another attempt
 */
record TakeOverSubscription(boolean paused, long delivered, String holder, long waiting, long deadLetters) {
    static Optional<TakeOverSubscription> find(Connection connection, String name) throws SQLException {
        return Sql.file("adopt/take_over_subscription")
                .with("name", name)
                .query(connection, TakeOverSubscription.class)
                .stream()
                .findFirst();
    }

    /** @throws CaptureRefusal if its relay would deliver messages before the poller has sent the older rows */
    void requireReady(String name, String table) {
        String refused = "Could not take " + table + " over: subscription " + name;
        if (!isUnused()) {
            throw new CaptureRefusal(
                    refused + " has delivered messages already. Nothing was changed. Name a separate subscription in"
                            + " the file. If the poller is stopped, this subscription can be used: add --poller-stopped");
        }
        if (!paused) {
            throw new CaptureRefusal(
                    refused + " is not paused, and would deliver messages before the poller has sent the older rows."
                            + " Nothing was changed. Run: ./caravan subscriptions pause " + name);
        }
        if (holder != null) {
            throw new CaptureRefusal(refused + " was paused a moment ago, and relay " + holder
                    + " still works it. Nothing was changed. Run the command again in a few seconds.");
        }
    }

    /** @throws CaptureRefusal if a take-over cannot be undone, because its subscription delivers or has not decided about a message */
    static void requireStopped(TakeOverState state, Optional<TakeOverSubscription> subscription) {
        String name = state.subscription();
        if (state.stage() == TakeOverState.Stage.NOT_BEGUN) {
            throw new CaptureRefusal("There is no take-over of " + state.table() + " to undo. Nothing was changed.");
        }
        if (state.stage() == TakeOverState.Stage.COMPLETE) {
            throw new CaptureRefusal("Could not undo the take-over of " + state.table() + ": " + name
                    + " delivers its messages. Nothing was changed. To give the rows back that are not delivered yet, pause it"
                    + " first: ./caravan subscriptions pause " + name);
        }
        if (subscription.orElseThrow().holder() != null) {
            throw new CaptureRefusal("Could not undo the take-over of " + state.table() + ": relay "
                    + subscription.get().holder() + " still delivers messages of " + name
                    + ". Nothing was changed. Run the command again in a few seconds.");
        }
        if (subscription.get().waiting() > 0) {
            throw new CaptureRefusal("Could not undo the take-over of " + state.table() + ": messages of " + name
                    + " wait for another attempt or are blocked: "
                    + subscription.get().waiting()
                    + ". Nothing was changed. Resume " + name
                    + " until they are delivered, and pause it again. Or give up those"
                    + " that are not blocked: ./caravan retries give-up --all --subscription " + name
                    + " --reason \"back to the poller\"");
        }
    }

    /** Whether the take-over has created it, and not a person. */
    static boolean isOfTakeOver(Connection connection, String name) throws SQLException {
        return Sql.file("adopt/take_over_created")
                .with("subscription", name)
                .first(connection, row -> true)
                .isPresent();
    }

    /** Whether it has never delivered a message. */
    boolean isUnused() {
        return delivered == 0 && waiting == 0 && deadLetters == 0;
    }
}
