package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.operate.subscription.LaneChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Removes messages from a table and unblocks the messages behind them. Locks the subscription, so that no relay saves meanwhile. */
final class Removal {
    /** A further change to be made in the transaction, for the removed messages. */
    @FunctionalInterface
    interface Consequence {
        void apply(Connection connection, String subscription, List<Long> ids) throws SQLException;
    }

    private Removal() {}

    /**
     * @param statement removes messages and returns the id, key and lane of each
     * @param consequence runs before the messages behind them are unblocked
     * @return the number of removed messages
     */
    static int run(Connection connection, String subscription, Sql statement, Consequence consequence)
            throws SQLException {
        // A separate statement: the next one must see everything that a concurrent save has committed.
        LaneChange.lockLanes(connection, subscription);
        Map<Key, Integer> lanes = new HashMap<>();
        List<Long> removed = statement.query(connection, row -> {
            lanes.put(new Key(row.getString("aggregate_type"), row.getString("aggregate_id")), row.getInt("lane"));
            return row.getLong("id");
        });
        consequence.apply(connection, subscription, removed);
        unblock(connection, subscription, lanes);
        return removed.size();
    }

    private static void unblock(Connection connection, String subscription, Map<Key, Integer> lanes)
            throws SQLException {
        Collection<Key> keys = lanes.keySet();
        Sql.file("engine/unblock")
                .with("subscription", subscription)
                .withEach("key_types", keys, Key::type, String[]::new)
                .withEach("key_ids", keys, Key::id, String[]::new)
                .withEach("lanes", keys, lanes::get, Integer[]::new)
                .query(connection, row -> row.getString(1));
    }
}
