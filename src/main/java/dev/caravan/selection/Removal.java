package dev.caravan.selection;

import dev.caravan.audit.Actor;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.delivery.Key;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;

/** Removes messages from a table and unblocks the messages behind them. Locks the subscription against saves of a relay. */
public final class Removal {
    private Removal() {}

    /**
     * @param file a statement that removes messages and returns the id and key of each
     * @return the number of removed messages
     */
    public static int run(DataSource dataSource, String file, Selection.Chunk chunk, Actor actor) throws SQLException {
        return Transaction.run(dataSource, connection -> {
            // A separate statement: the next one must see everything that a concurrent save has committed.
            Statement.query(connection, "subscription/lock_subscription", row -> row.getInt(1), chunk.subscription());
            Set<Key> keys = new HashSet<>();
            int removed = Statement.query(
                            connection,
                            file,
                            row -> keys.add(new Key(row.getString("aggregate_type"), row.getString("aggregate_id"))),
                            chunk.subscription(),
                            chunk.ids(),
                            chunk.versionMicros(),
                            chunk.ids(),
                            chunk.subscription(),
                            actor.who(),
                            actor.reason().orElse(null))
                    .size();
            // A message that became a dead letter may now block a later message.
            Statement.update(connection, "store/hold_behind", chunk.subscription(), chunk.subscription(), chunk.ids());
            unblock(connection, chunk.subscription(), keys);
            return removed;
        });
    }

    private static void unblock(Connection connection, String subscription, Set<Key> keys) throws SQLException {
        Statement.update(
                connection,
                "selection/unblock_keys",
                subscription,
                keys.stream().map(Key::type).toArray(String[]::new),
                keys.stream().map(Key::id).toArray(String[]::new),
                subscription);
    }
}
