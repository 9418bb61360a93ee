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
 * A key whose later messages are blocked by one that waits for another attempt.
 *
 * @param id id of the failed message in the outbox
 * @param failingSince the time of its first failure
 * @param behind number of messages behind it
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

    private static final int EXAMINED = 10_000;
    private static final int COUNTED = 1_000;

    /**
     * The blocked keys, those that have been failing longest first.
     *
     * @param subscription name of the subscription; empty for all
     * @param since only keys whose message failed at or before this time
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
                        connection, "retry/blocked_keys", BlockedKey::of, name, EXAMINED, since, COUNTED + 1, limit));
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

    /** Identifies it by its message; the key may be personal. */
    @Override
    public String toString() {
        return "blocked key of " + subscription + " " + id;
    }
}
