package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Json;
import dev.caravan.database.Sql;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A failed attempt to deliver a message.
 *
 * @param at when its failure was saved
 * @param attempt its number since the last retry by a person, from 1; an attempt that does not count has the number of the previous one
 * @param relay the relay that made it
 * @param errorText text of the error; of all but the last attempt only its first 300 characters
 * @param answer the response of the destination, limited in length like the text
 */
@JsonPropertyOrder({"at", "attempt", "relay", "durationMillis"})
public record FailedAttempt(
        Instant at,
        int attempt,
        String relay,
        @JsonIgnore Duration duration,
        String errorClass,
        String errorText,
        Optional<String> answer) {
    @JsonProperty
    long durationMillis() {
        return duration.toMillis();
    }

    /**
     * The stored attempts of a waiting message or a dead letter, oldest first: the first one and the latest ones. Those between
     * them may be missing: then the numbers are not continuous.
     */
    public static List<FailedAttempt> all(ResultSet row) throws SQLException {
        List<FailedAttempt> all = new ArrayList<>();
        Array earlier = row.getArray("earlier_attempts");
        if (earlier != null) {
            Stream.of((Object[]) earlier.getArray())
                    .map(attempt -> of(Json.read(attempt.toString())))
                    .forEach(all::add);
        }
        if (row.getString("attempt_relay") != null) {
            all.add(last(row));
        }
        return all;
    }

    private static FailedAttempt last(ResultSet row) throws SQLException {
        return new FailedAttempt(
                Sql.instant(row, "last_failed_at"),
                row.getInt("attempts"),
                row.getString("attempt_relay"),
                Duration.ofMillis(row.getInt("attempt_millis")),
                row.getString("error_class"),
                row.getString("error_text"),
                Optional.ofNullable(row.getString("answer")));
    }

    private static FailedAttempt of(JsonNode attempt) {
        return new FailedAttempt(
                OffsetDateTime.parse(attempt.get("at").asText()).toInstant(),
                attempt.get("attempt").asInt(),
                attempt.get("relay").asText(),
                Duration.ofMillis(attempt.path("millis").asInt()),
                attempt.path("errorClass").asText(),
                attempt.path("errorText").asText(),
                Optional.ofNullable(attempt.path("answer").textValue()));
    }
}
