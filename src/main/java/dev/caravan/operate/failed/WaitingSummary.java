package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.database.Sql;
import dev.caravan.operate.failed.Retries.Blocker;
import dev.caravan.operate.subscription.Obstacle;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A waiting message without its headers and payload, which may be large or personal data.
 *
 * @param subscription the subscription that delivers it
 * @param lane the lane of its key
 * @param id its id in the outbox
 * @param attempts number of failed attempts that count
 * @param nextAttemptAt the time of its next attempt; empty while it is blocked
 * @param firstFailedAt empty if it has not failed, for example if it is replayed
 * @param errorText text of the last error; in lists only its first 300 characters
 * @param answer what the destination answered to the last attempt; in lists only its first 300 characters
 * @param edited whether a person changed payload or headers before this retry
 * @param blocker what a blocked message waits for; not read with the message
 * @param obstacle what its next attempt waits for, beside its time; not read with the message
 */
@JsonPropertyOrder({
    "subscription",
    "id",
    "messageId",
    "key",
    "type",
    "attempts",
    "blocked",
    "nextAttemptAt",
    "obstacle",
    "blocker",
    "firstFailedAt"
})
public record WaitingSummary(
        String subscription,
        @JsonIgnore int lane,
        long id,
        UUID messageId,
        @JsonUnwrapped Key key,
        String type,
        int attempts,
        Optional<Instant> nextAttemptAt,
        Optional<Instant> firstFailedAt,
        Optional<Instant> lastFailedAt,
        Optional<String> errorClass,
        Optional<String> errorText,
        Optional<String> answer,
        boolean edited,
        @JsonUnwrapped Blocker blocker,
        Optional<Obstacle> obstacle)
        implements Versioned {
    /** The names of all fields. */
    public static final List<String> COLUMNS = Json.names(WaitingSummary.class);

    static WaitingSummary of(ResultSet row) throws SQLException {
        return new WaitingSummary(
                row.getString("subscription"),
                row.getInt("lane"),
                row.getLong("id"),
                row.getObject("message_id", UUID.class),
                new Key(row.getString("aggregate_type"), row.getString("aggregate_id")),
                row.getString("type"),
                row.getInt("attempts"),
                Sql.time(row, "next_attempt_at"),
                Sql.time(row, "first_failed_at"),
                Sql.time(row, "last_failed_at"),
                Optional.ofNullable(row.getString("error_class")),
                Optional.ofNullable(row.getString("error_text")),
                Optional.ofNullable(row.getString("answer")),
                row.getBoolean("edited"),
                Blocker.NONE,
                Optional.empty());
    }

    /** The message with what it waits for. */
    WaitingSummary with(Blocker found, Optional<Obstacle> ofLane) {
        return new WaitingSummary(
                subscription,
                lane,
                id,
                messageId,
                key,
                type,
                attempts,
                nextAttemptAt,
                firstFailedAt,
                lastFailedAt,
                errorClass,
                errorText,
                answer,
                edited,
                isBlocked() ? found : Blocker.NONE,
                ofLane.filter(obstacle -> nextAttemptAt.filter(obstacle::delays).isPresent()));
    }

    /** Whether it is blocked by an earlier message of its key. */
    @JsonProperty("blocked")
    public boolean isBlocked() {
        return nextAttemptAt.isEmpty();
    }

    /** The time of its next attempt; a blocked message has none and cannot be selected. */
    @Override
    public Instant version() {
        return nextAttemptAt.orElseThrow(() -> new IllegalStateException(subscription + " " + id + " is blocked"));
    }
}
