package dev.caravan.deadletter;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * A whole dead letter.
 *
 * @param createdAt when the message was written to the outbox
 * @param headers a JSON object
 * @param payload JSON as written; empty for an empty body
 * @param stack the bounded stack trace of the last error
 */
public record DeadLetter(
        DeadLetterSummary summary,
        Instant createdAt,
        Optional<String> headers,
        Optional<String> payload,
        String stack) {

    static DeadLetter of(ResultSet row) throws SQLException {
        return new DeadLetter(
                DeadLetterSummary.of(row),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                Optional.ofNullable(row.getString("headers")),
                Optional.ofNullable(row.getString("payload")),
                row.getString("error_stack"));
    }

    /** Identifies it without its content, which may be personal. */
    @Override
    public String toString() {
        return "dead letter " + summary.subscription() + " " + summary.id();
    }
}
