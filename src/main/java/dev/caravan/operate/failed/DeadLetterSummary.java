package dev.caravan.operate.failed;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.database.Column;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A dead letter without its headers and payload, which may be personal or large.
 *
 * @param subscription the subscription that could not deliver it
 * @param id its id in the outbox
 * @param attempts number of failed attempts that count
 * @param errorText text of the last error; in lists only its first 300 characters
 * @param step the endpoint of the route at which the last attempt failed
 * @param answer the response of the destination to the last attempt; in lists only its first 300 characters
 * @param edited whether a person changed payload or headers before the last retry
 * @param group the group of its error
 */
public record DeadLetterSummary(
        String subscription,
        long id,
        UUID messageId,
        @JsonUnwrapped @Column("aggregate_") Key key,
        String type,
        int attempts,
        Instant firstFailedAt,
        Instant lastFailedAt,
        String errorClass,
        String errorText,
        Optional<String> answer,
        Optional<String> step,
        boolean edited,
        ErrorGroup group)
        implements Versioned {
    /** The names of all fields. */
    public static final List<String> COLUMNS = Json.names(DeadLetterSummary.class);

    /** The time of its last failure. */
    @Override
    public Instant version() {
        return lastFailedAt;
    }
}
