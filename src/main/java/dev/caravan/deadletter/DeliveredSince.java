package dev.caravan.deadletter;

import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.text.Humane;
import dev.caravan.text.Span;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * What a subscription has delivered since the last of some dead letters failed: whether a retry may succeed now.
 *
 * @param from the beginning of the count: the first stored period of five minutes after the failure; empty if there is none yet
 * @param delivered number of messages delivered since then; 0 without a beginning
 * @param owned whether a relay works the subscription
 * @param unavailableSince since when its destination is unavailable
 */
public record DeliveredSince(
        String subscription,
        Optional<Instant> from,
        long delivered,
        boolean owned,
        Optional<Instant> unavailableSince) {

    /** One for each subscription of some groups of dead letters, in the order of their names. */
    public static List<DeliveredSince> of(DataSource dataSource, List<DeadLetterGroups.Group> groups)
            throws SQLException {
        Map<String, Instant> lastFailures = new TreeMap<>();
        groups.forEach(
                group -> lastFailures.merge(group.subscription(), group.lastSeen(), (a, b) -> a.isAfter(b) ? a : b));
        return Transaction.run(
                dataSource,
                connection -> Statement.query(
                        connection,
                        "deadletter/delivered_since",
                        DeliveredSince::of,
                        lastFailures.keySet().toArray(String[]::new),
                        lastFailures.values().stream().map(Instant::toString).toArray(String[]::new)));
    }

    private static DeliveredSince of(ResultSet row) throws SQLException {
        return new DeliveredSince(
                row.getString("name"),
                instant(row, "at"),
                row.getLong("delivered"),
                row.getBoolean("owned"),
                instant(row, "unavailable_since"));
    }

    private static Optional<Instant> instant(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    /** A sentence for people. */
    public String text(Instant now) {
        String count = from.map(begin -> subscription + " has delivered " + Humane.counted(delivered, "message")
                        + " in the last " + Span.text(Duration.between(begin, now)) + ", after these failures")
                .orElse("The last of these of " + subscription
                        + " failed within 5m: what was delivered since is not known yet");
        return count + "; "
                + (owned
                        ? unavailableSince
                                .map(since -> "its destination has been unavailable for "
                                        + Span.text(Duration.between(since, now)))
                                .orElse("no outage of its destination is known")
                        : "no relay works it")
                + ".";
    }
}
