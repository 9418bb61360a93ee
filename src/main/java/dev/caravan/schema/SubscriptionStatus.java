package dev.caravan.schema;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * How far one lane of a subscription is.
 *
 * @param position highest id taken
 * @param gaps number of ids at or below the position that are not delivered
 * @param backlog at most so many messages are undelivered; ids that were rolled back or are not for this subscription count too
 * @param lag age of the oldest undelivered message, zero when there is none
 * @param owner the relay that works the lane, empty when none does
 * @param leaseUntil end of its lease by the clock of the database
 * @param leaseLeft time until then; negative when the lease has ended
 * @param waiting messages that wait for another attempt
 * @param blocked messages that wait behind an earlier one of their key
 * @param blockedKeys their keys
 * @param deadLetters messages that are not tried again unless a person retries them
 */
public record SubscriptionStatus(
        String name,
        int lane,
        long position,
        long gaps,
        long backlog,
        Duration lag,
        Optional<String> owner,
        long epoch,
        Optional<Instant> leaseUntil,
        Optional<Duration> leaseLeft,
        boolean paused,
        BoundedCount waiting,
        BoundedCount blocked,
        BoundedCount blockedKeys,
        BoundedCount deadLetters) {

    /** Up to so many are counted. */
    static final int BOUND = 10_000;

    /** Tables of failures are empty or just filled: with wrong statistics the server would read them to the end. */
    static final String PLANS = "set local enable_seqscan = off; set local enable_bitmapscan = off";

    /** All subscriptions in order of name and lane. Cheap on any backlog: what is counted, is up to a bound. */
    public static List<SubscriptionStatus> all(DataSource dataSource) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (var plans = connection.createStatement()) {
                plans.execute(PLANS);
            }
            return all(connection); // nothing to commit
        }
    }

    private static List<SubscriptionStatus> all(Connection connection) throws SQLException {
        List<SubscriptionStatus> all = new ArrayList<>();
        try (var statement = connection.prepareStatement(Sql.file("list_subscriptions"))) {
            for (int table = 1; table <= 3; table++) {
                statement.setInt(table, BOUND + 1);
            }
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(of(rows));
                }
            }
        }
        return all;
    }

    private static SubscriptionStatus of(ResultSet row) throws SQLException {
        return new SubscriptionStatus(
                row.getString("name"),
                row.getInt("lane"),
                row.getLong("position"),
                row.getLong("gaps"),
                row.getLong("backlog"),
                seconds(row.getDouble("lag_seconds")),
                Optional.ofNullable(row.getString("owner")),
                row.getLong("epoch"),
                Optional.ofNullable(row.getObject("lease_until", OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant),
                Optional.ofNullable(row.getBigDecimal("lease_seconds")).map(left -> seconds(left.doubleValue())),
                row.getBoolean("paused"),
                upToBound(row.getLong("waiting")),
                among(row.getLong("blocked"), row.getLong("looked_at")),
                among(row.getLong("blocked_keys"), row.getLong("looked_at")),
                upToBound(row.getLong("dead_letters")));
    }

    private static BoundedCount upToBound(long counted) {
        return new BoundedCount(Math.min(counted, BOUND), counted > BOUND);
    }

    private static BoundedCount among(long counted, long lookedAt) {
        return new BoundedCount(counted, lookedAt > BOUND);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
