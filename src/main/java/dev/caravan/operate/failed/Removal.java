package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Removes messages from a table and unblocks the messages behind them. Locks the subscription, so that no relay saves meanwhile. */
public final class Removal {
    /** A further change to be made in the transaction, for the removed messages. */
    @FunctionalInterface
    public interface Consequence {
        void apply(Connection connection, String subscription, long[] ids) throws SQLException;
    }

    private Removal() {}

    /**
     * @param file a statement that removes messages and returns the id, key and lane of each
     * @param consequence runs before the messages behind them are unblocked
     * @param more parameters of the statement after those of the chunk and the person
     * @return the number of removed messages
     */
    public static int run(
            DataSource dataSource,
            String file,
            Selection.Chunk chunk,
            Actor actor,
            Consequence consequence,
            Object... more)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            // A separate statement: the next one must see everything that a concurrent save has committed.
            Statement.query(connection, "operate/lock_subscription", row -> row.getInt(1), chunk.subscription());
            Map<Key, Integer> lanes = new HashMap<>();
            List<Long> removed = new ArrayList<>();
            Statement.query(
                    connection,
                    file,
                    row -> {
                        lanes.put(
                                new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                                row.getInt("lane"));
                        return removed.add(row.getLong("id"));
                    },
                    parameters(chunk, actor, more));
            consequence.apply(
                    connection,
                    chunk.subscription(),
                    removed.stream().mapToLong(Long::longValue).toArray());
            unblock(connection, chunk.subscription(), lanes);
            return removed.size();
        });
    }

    private static Object[] parameters(Selection.Chunk chunk, Actor actor, Object... more) {
        List<Object> all = new ArrayList<>(chunk.parameters(actor));
        all.addAll(List.of(more));
        return all.toArray();
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
