package dev.caravan.retry;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * A whole waiting message.
 *
 * @param createdAt when the message was written to the outbox
 * @param headers a JSON object
 * @param payload JSON as written; empty for an empty body
 */
public record Waiting(WaitingSummary summary, Instant createdAt, Optional<String> headers, Optional<String> payload) {

    static Waiting of(ResultSet row) throws SQLException {
        return new Waiting(
                WaitingSummary.of(row),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                Optional.ofNullable(row.getString("headers")),
                Optional.ofNullable(row.getString("payload")));
    }

    /** Identifies it without its content, which may be personal. */
    @Override
    public String toString() {
        return "waiting message " + summary.subscription() + " " + summary.id();
    }
}
