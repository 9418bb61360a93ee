package dev.caravan.delivery;

import java.time.Instant;
import java.util.UUID;

/**
 * One row of the outbox.
 *
 * @param id its position in the order of the outbox
 * @param messageId the identity that receivers see
 * @param key messages of one key are delivered in order
 * @param type what happened, for example {@code order.created}
 * @param headers the headers of the message, a JSON object, or null for none
 * @param payload the body as stored in the table, or null
 * @param createdAt when the row was written
 */
public record Message(
        long id, UUID messageId, Key key, String type, String headers, String payload, Instant createdAt) {

    /** Approximate size in memory, in bytes. */
    public long bytes() {
        return 300L + (headers == null ? 0 : headers.length()) + (payload == null ? 0 : payload.length());
    }
}
