package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * What a subscription has delivered since the last of some dead letters failed. It indicates whether a retry may succeed now.
 *
 * @param from the beginning of the count: the first stored period of five minutes after the failure; empty if there is none yet
 * @param delivered number of messages delivered since then; 0 if {@code from} is empty
 * @param lastDeliveryAfter a time at most five minutes before the last delivery; empty if no delivery is in the stored periods
 * @param died number of other messages that have failed as dead letters since then; at most {@link #MAX_DIED} are counted
 * @param owned whether a relay works the subscription
 * @param unavailableSince since when its destination is unavailable
 */
@JsonPropertyOrder({"subscription", "from", "delivered"})
public record DeliveredSince(
        String subscription,
        Optional<Instant> from,
        @JsonIgnore long delivered,
        Optional<Instant> lastDeliveryAfter,
        long died,
        boolean owned,
        Optional<Instant> unavailableSince) {
    /** The limit in the statement. */
    static final int MAX_DIED = 1_000;

    /**
     * One for each subscription of these groups of dead letters, in order of name. If the groups do not contain all dead letters, the last
     * failure is that of any dead letter of the subscription.
     */
    public static List<DeliveredSince> of(DataSource dataSource, DeadLetterGroups groups) throws SQLException {
        Map<String, Instant> lastFailures = new TreeMap<>();
        groups.largest()
                .forEach(group ->
                        lastFailures.merge(group.subscription(), group.lastSeen(), (a, b) -> a.isAfter(b) ? a : b));
        return Transaction.run(dataSource, connection -> Sql.file("operate/delivered_since")
                .with("subscriptions", lastFailures.keySet().toArray(String[]::new))
                .withEach("since", lastFailures.values(), Instant::toString, String[]::new)
                .with("complete", groups.complete())
                .query(connection, DeliveredSince.class));
    }

    @JsonProperty("delivered")
    Optional<Long> deliveredIfKnown() {
        return from.map(begin -> delivered);
    }

    /** The same as a sentence for people. */
    public String text(Instant now) {
        String count = from.map(begin -> subscription + " has delivered " + Formatted.counted(delivered, "message")
                        + " in the last " + Span.text(Duration.between(begin, now)) + ", after these failures")
                .orElse("The last of these of " + subscription
                        + " failed in the last 5m: what was delivered since is not known yet");
        return count + lastDelivery(now) + "; " + others()
                + (owned
                        ? unavailableSince
                                .map(since -> "its destination has been unavailable for "
                                        + Span.text(Duration.between(since, now)))
                                .orElse("no outage of its destination is known")
                        : "no relay works it")
                + ".";
    }

    private String lastDelivery(Instant now) {
        return lastDeliveryAfter
                .map(after -> ", the last delivery at most " + Span.text(Duration.between(after, now)) + " ago")
                .orElse("");
    }

    private String others() {
        String more = died < MAX_DIED ? "" : "at least ";
        return died == 0 ? "" : more + Formatted.counted(died, "other message") + " became dead since; ";
    }
}
