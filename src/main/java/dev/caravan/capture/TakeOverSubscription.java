package dev.caravan.capture;

import dev.caravan.database.Statement;
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
        return Statement.query(
                        connection,
                        "capture/take_over_subscription",
                        row -> new TakeOverSubscription(
                                row.getBoolean("paused"),
                                row.getLong("delivered"),
                                row.getString("holder"),
                                row.getLong("waiting"),
                                row.getLong("dead_letters")),
                        name)
                .stream()
                .findFirst();
    }

    /** Whether it has never delivered a message. */
    boolean isUnused() {
        return delivered == 0 && waiting == 0 && deadLetters == 0;
    }
}
