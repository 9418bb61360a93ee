package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.operate.subscription.LaneChange;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Removes messages from a table and unblocks the messages behind them. Locks the subscription, so that no relay saves meanwhile. */
final class Removal {
    /** A further change to be made in the transaction, for the removed messages. */
    @FunctionalInterface
    interface Consequence {
        void apply(Connection connection, String subscription, long[] ids) throws SQLException;
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
        long[] removed = statement
                .query(connection, row -> {
                    lanes.put(
                            new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                            row.getInt("lane"));
                    return row.getLong("id");
                })
                .stream()
                .mapToLong(Long::longValue)
                .toArray();
        consequence.apply(connection, subscription, removed);
        unblock(connection, subscription, lanes);
        return removed.length;
    }

    private static void unblock(Connection connection, String subscription, Map<Key, Integer> lanes)
            throws SQLException {
        List<Key> keys = List.copyOf(lanes.keySet());
        Sql.file("engine/unblock")
                .with("subscription", subscription)
                .with("key_types", keys.stream().map(Key::type).toArray(String[]::new))
                .with("key_ids", keys.stream().map(Key::id).toArray(String[]::new))
                .with("lanes", keys.stream().map(lanes::get).toArray(Integer[]::new))
                .query(connection, row -> row.getString(1));
    }
}
