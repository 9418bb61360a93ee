package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.caravan.base.message.Key;
import dev.caravan.database.BoundedCount;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.subscription.Obstacle;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A key whose later messages are blocked by one that waits for another attempt, or by a dead letter.
 *
 * @param id id of the failed message in the outbox
 * @param failingSince the time of its first failure
 * @param nextAttemptAt empty for a dead letter, which is not tried again unless a person retries it
 * @param obstacle what the next attempt waits for, beside its time
 * @param behind number of messages behind it
 */
@JsonPropertyOrder({"subscription", "key", "id", "failingSince", "nextAttemptAt", "obstacle", "dead"})
public record BlockedKey(
        String subscription,
        @JsonSerialize(using = ToStringSerializer.class) Key key,
        long id,
        Instant failingSince,
        Optional<Instant> nextAttemptAt,
        Optional<Obstacle> obstacle,
        @JsonProperty("blockedMessages") BoundedCount behind,
        Optional<String> errorClass,
        @JsonProperty("error") Optional<String> errorText) {

    /** Prevents a plan that sorts all waiting messages, also on a table that was just filled and whose statistics are outdated. */
    static final String ORDER = "set local enable_sort = off; set local enable_hashagg = off; set local jit = off";

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
                    : Sql.file("operate/waiting_subscriptions").query(connection, row -> row.getString(1));
            List<BlockedKey> found = new ArrayList<>();
            for (String name : subscriptions) {
                found.addAll(waiting(connection, name, since, limit));
                found.addAll(dead(connection, name, since, limit));
            }
            found.sort(Comparator.comparing(BlockedKey::failingSince).thenComparing(BlockedKey::id));
            return List.copyOf(found.subList(0, Math.min(limit, found.size())));
        });
    }

    /** The keys that are blocked by a message that waits for another attempt, those that have been failing longest first. */
    public static List<BlockedKey> waiting(Connection connection, String subscription, Instant since, int limit)
            throws SQLException {
        return blocked(connection, "operate/keys_blocked_by_waiting", subscription, since, limit);
    }

    /** The keys that are blocked by a dead letter, those that have been failing longest first. */
    public static List<BlockedKey> dead(Connection connection, String subscription, Instant since, int limit)
            throws SQLException {
        Sql.execute(connection, ORDER);
        return blocked(connection, "operate/keys_blocked_by_dead", subscription, since, limit);
    }

    private static List<BlockedKey> blocked(
            Connection connection, String file, String subscription, Instant since, int limit) throws SQLException {
        return Sql.file(file)
                .with("subscription", subscription)
                .with("examined", EXAMINED)
                .with("since", since)
                .with("limit", limit)
                .with("counted", COUNTED + 1)
                .query(connection, BlockedKey::of);
    }

    /** Whether a dead letter blocks it. */
    @JsonProperty("dead")
    public boolean isDead() {
        return nextAttemptAt.isEmpty();
    }

    private static BlockedKey of(ResultSet row) throws SQLException {
        Optional<Instant> nextAttemptAt = Sql.time(row, "next_attempt_at");
        return new BlockedKey(
                row.getString("subscription"),
                new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                row.getLong("id"),
                Sql.instant(row, "first_failed_at"),
                nextAttemptAt,
                nextAttemptAt.isEmpty()
                        ? Optional.empty()
                        : Obstacle.of(row).filter(obstacle -> obstacle.delays(nextAttemptAt.get())),
                BoundedCount.of(row.getLong("messages"), COUNTED),
                Optional.ofNullable(row.getString("error_class")),
                Optional.ofNullable(row.getString("error_text")));
    }

    /** Identifies it by its message; the key may be personal data. */
    @Override
    public String toString() {
        return "blocked key of " + subscription + " " + id;
    }
}
