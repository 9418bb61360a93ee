package dev.caravan.base.message;

import java.nio.charset.StandardCharsets;
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
 * @param payloadBytes the body of a binary message, or null
 * @param createdAt when the row was written
 * @param leftOut the size of headers and payload if they are too large and were not read; otherwise 0
 */
@SuppressWarnings("ArrayRecordComponent") // messages are compared by id
public record Message(
        long id,
        UUID messageId,
        Key key,
        String type,
        String headers,
        String payload,
        byte[] payloadBytes,
        Instant createdAt,
        long leftOut) {

    /** A message that was read with its content. */
    public Message(
            long id,
            UUID messageId,
            Key key,
            String type,
            String headers,
            String payload,
            byte[] payloadBytes,
            Instant createdAt) {
        this(id, messageId, key, type, headers, payload, payloadBytes, createdAt, 0);
    }

    /** A message whose body is JSON, or empty. */
    public Message(long id, UUID messageId, Key key, String type, String headers, String payload, Instant createdAt) {
        this(id, messageId, key, type, headers, payload, null, createdAt);
    }

    /** A message of a type that the subscription does not select: only its id was read. */
    public static Message notSelected(long id) {
        return new Message(id, null, null, null, null, null, null);
    }

    /** Whether the subscription selects its type. Otherwise it has nothing but its id. */
    public boolean isSelected() {
        return messageId != null;
    }

    /** This message; without its headers and payload if these are larger than a limit in bytes, as {@code read.sql} leaves them out. */
    public Message withoutMoreThan(long most) {
        if (isTooLarge() || 4 * bytes() <= most) { // a character has at most 4 bytes
            return this;
        }
        long size = size(headers) + (payloadBytes == null ? size(payload) : payloadBytes.length);
        return size <= most ? this : new Message(id, messageId, key, type, null, null, null, createdAt, size);
    }

    private static long size(String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Whether its content is too large and was not read, so that it cannot be delivered. */
    public boolean isTooLarge() {
        return leftOut > 0;
    }

    /** The body of the exchange: the bytes of a binary message, otherwise the JSON; null if it is empty. */
    public Object body() {
        return payloadBytes == null ? payload : payloadBytes;
    }

    /** Differs if headers or payload differ. */
    public String digest() {
        String bytes = payloadBytes == null ? "" : new String(payloadBytes, StandardCharsets.ISO_8859_1);
        return UUID.nameUUIDFromBytes((headers + "\n" + payload + "\n" + bytes).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    /** Approximate size in memory, in bytes. */
    public long bytes() {
        return 300L
                + (headers == null ? 0 : headers.length())
                + (payload == null ? 0 : payload.length())
                + (payloadBytes == null ? 0 : payloadBytes.length);
    }
}
