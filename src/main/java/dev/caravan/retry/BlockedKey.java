package dev.caravan.retry;

import dev.caravan.database.BoundedCount;
import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.delivery.Key;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A key whose later messages wait behind one that waits for another attempt.
 *
 * @param id of the message that failed, in the outbox
 * @param failingSince when it failed for the first time
 * @param behind messages that wait behind it
 */
public record BlockedKey(
        String subscription,
        Key key,
        long id,
        Instant failingSince,
        Instant nextAttemptAt,
        BoundedCount behind,
        Optional<String> errorClass,
        Optional<String> errorText) {

    private static final int LOOKED_AT = 10_000;
    private static final int COUNTED = 1_000;

    /**
     * Those that have been failing longest first.
     *
     * @param subscription of which subscription; empty for all
     * @param since failing at this time already
     */
    public static List<BlockedKey> first(DataSource dataSource, Optional<String> subscription, Instant since, int limit)
            throws SQLException {
        return Transaction.run(dataSource, connection -> {
            List<String> subscriptions = subscription.isPresent()
                    ? List.of(subscription.get())
                    : Statement.query(connection, "retry/waiting_subscriptions", row -> row.getString(1));
            List<BlockedKey> found = new ArrayList<>();
            for (String name : subscriptions) {
                found.addAll(Statement.query(
                        connection, "retry/blocked_keys", BlockedKey::of, name, LOOKED_AT, since, COUNTED + 1, limit));
            }
            found.sort(Comparator.comparing(BlockedKey::failingSince).thenComparing(BlockedKey::id));
            return List.copyOf(found.subList(0, Math.min(limit, found.size())));
        });
    }

    private static BlockedKey of(ResultSet row) throws SQLException {
        long behind = row.getLong("messages");
        return new BlockedKey(
                row.getString("subscription"),
                new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                row.getLong("id"),
                row.getObject("first_failed_at", OffsetDateTime.class).toInstant(),
                row.getObject("next_attempt_at", OffsetDateTime.class).toInstant(),
                new BoundedCount(Math.min(behind, COUNTED), behind > COUNTED),
                Optional.ofNullable(row.getString("error_class")),
                Optional.ofNullable(row.getString("error_text")));
    }

    /** Names it by its message; the key may be personal. */
    @Override
    public String toString() {
        return "blocked key of " + subscription + " " + id;
    }
}
