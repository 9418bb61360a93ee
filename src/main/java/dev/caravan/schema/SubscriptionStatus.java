package dev.caravan.schema;

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
        boolean paused) {

    /** All subscriptions in order of name and lane. Cheap on any backlog: nothing is counted. */
    public static List<SubscriptionStatus> all(DataSource dataSource) throws SQLException {
        List<SubscriptionStatus> all = new ArrayList<>();
        try (var connection = dataSource.getConnection();
                var statement = connection.prepareStatement(Sql.file("list_subscriptions"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                all.add(of(rows));
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
                row.getBoolean("paused"));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }
}
