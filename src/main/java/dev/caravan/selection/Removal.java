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

/** Takes messages away from their place, and lets those go on that waited for nothing else. No save of a relay runs meanwhile. */
public final class Removal {
    private Removal() {}

    /**
     * @param file a statement that returns id and key of each message it has taken away
     * @return how many were
     */
    public static int run(DataSource dataSource, String file, Selection.Chunk chunk, Actor signature)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            // A statement of its own: the next one must see all that the save it waited for has written.
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
                            signature.who(),
                            signature.reason().orElse(null))
                    .size();
            // What became a dead letter may hold back a later message now.
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
