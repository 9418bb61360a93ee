package dev.caravan.delivery;

import java.time.Instant;
import java.util.UUID;

/**
 * One row of the outbox.
 *
 * @param id its place in the order of the outbox
 * @param messageId the identity that receivers see
 * @param key deliveries of one key keep their order
 * @param type what happened, for example {@code order.created}
 * @param headers the message's own headers, a JSON object, or null for none
 * @param payload the body as it stands in the table, or null
 * @param createdAt when the row was written
 */
public record Message(
        long id, UUID messageId, Key key, String type, String headers, String payload, Instant createdAt) {

    /** About how much memory this message takes, in bytes. */
    public long bytes() {
        return 300L + (headers == null ? 0 : headers.length()) + (payload == null ? 0 : payload.length());
    }
}
