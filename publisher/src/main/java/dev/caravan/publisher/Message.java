package dev.caravan.publisher;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A message for the outbox. Immutable.
 *
 * @param id the message id, which receivers use to recognize a repeat; {@link #of} creates a new one
 * @param aggregateType what the message is about, for example {@code order}; the first half of the key
 * @param aggregateId which one, for example its primary key; the second half of the key. Messages of one key are delivered in order.
 * @param type what happened, for example {@code order.created}. Subscriptions select messages by type.
 * @param payload JSON; null for a binary message, and for a message without payload, which is sent to Kafka as a tombstone
 * @param payloadBytes the payload of a binary message, for example Avro, Protobuf or XML; null for other messages
 * @param headers sent with the message, for example a tenant
 */
public record Message(
        UUID id,
        String aggregateType,
        String aggregateId,
        String type,
        String payload,
        byte[] payloadBytes,
        Map<String, String> headers) {
    private static final String TRACEPARENT = "traceparent";
    /** W3C Trace Context, level 1, section 3.2. */
    private static final Pattern TRACE_CONTEXT =
            Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");
    /** A constraint of the table: keys and types are indexed. */
    private static final int MAX_BYTES_OF_KEY_AND_TYPE = 1000;

    private static final Set<String> SET_BY_CARAVAN =
            Set.of("id", "type", "aggregate-type", "aggregate-id", "created-at", "outbox-id");

    /**
     * @throws NullPointerException if a component other than the payloads is null, or a header's name or value
     * @throws IllegalArgumentException if both payloads are given, if key and type together exceed 1,000 bytes of UTF-8, or the name of a header is reserved:
     *     those that Caravan sets, and those that begin with {@code camel}, {@code org.apache.camel.} or {@code kafka.}
     */
    public Message {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(aggregateId, "aggregateId");
        Objects.requireNonNull(type, "type");
        int bytes = bytes(aggregateType) + bytes(aggregateId) + bytes(type);
        if (bytes > MAX_BYTES_OF_KEY_AND_TYPE) {
            throw new IllegalArgumentException(
                    "aggregate type, aggregate id and type have " + bytes + " bytes together, but may have at most "
                            + MAX_BYTES_OF_KEY_AND_TYPE + ": use a shorter aggregate id");
        }
        if (payload != null && payloadBytes != null) {
            throw new IllegalArgumentException(
                    "a message has either a JSON payload or a binary one, but both are given");
        }
        payloadBytes = payloadBytes == null ? null : payloadBytes.clone();
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        headers.forEach(Message::requireHeader);
    }

    /**
     * Creates a message with a new message id (UUID version 7) and without headers.
     *
     * @param payload JSON, or null
     */
    public static Message of(String aggregateType, String aggregateId, String type, String payload) {
        return new Message(MessageIds.next(), aggregateType, aggregateId, type, payload, null, Map.of());
    }

    /**
     * Creates a binary message with a new message id (UUID version 7) and without headers. Receivers over HTTP expect its type in the
     * header {@code Content-Type}.
     *
     * @param payload delivered unchanged
     */
    public static Message ofBytes(String aggregateType, String aggregateId, String type, byte[] payload) {
        return new Message(MessageIds.next(), aggregateType, aggregateId, type, null, payload, Map.of());
    }

    /** A copy of the binary payload; null for other messages. */
    @Override
    public byte[] payloadBytes() {
        return payloadBytes == null ? null : payloadBytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Message message
                && id.equals(message.id)
                && aggregateType.equals(message.aggregateType)
                && aggregateId.equals(message.aggregateId)
                && type.equals(message.type)
                && Objects.equals(payload, message.payload)
                && Arrays.equals(payloadBytes, message.payloadBytes)
                && headers.equals(message.headers);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** Returns this message with a message id of the application, for example the id of a command that must take effect only once. */
    public Message withId(UUID newId) {
        return new Message(newId, aggregateType, aggregateId, type, payload, payloadBytes, headers);
    }

    /** Returns this message with one more header, or another value of a header. */
    public Message withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Message(id, aggregateType, aggregateId, type, payload, payloadBytes, more);
    }

    /**
     * Returns this message as part of a trace: Caravan's spans become children of the application's span.
     *
     * @param traceparent W3C Trace Context, for example {@code 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01}
     * @throws IllegalArgumentException if it does not have this form
     */
    public Message withTraceparent(String traceparent) {
        if (!TRACE_CONTEXT.matcher(traceparent).matches()) {
            throw new IllegalArgumentException(
                    "'" + traceparent
                            + "' is not a traceparent of W3C Trace Context: expected version-traceid-parentid-flags in lower-case hex digits");
        }
        return withHeader(TRACEPARENT, traceparent);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void requireHeader(String name, String value) {
        Objects.requireNonNull(name, "name of a header");
        Objects.requireNonNull(value, () -> "value of header " + name);
        String lower = name.toLowerCase(Locale.ROOT);
        if (SET_BY_CARAVAN.contains(lower)
                || lower.startsWith("camel")
                || lower.startsWith("org.apache.camel.")
                || lower.startsWith("kafka.")
                || lower.startsWith("mail.smtp.")
                || lower.startsWith("mail.smtps.")) {
            throw new IllegalArgumentException(
                    "header " + name + " is reserved, and Caravan would not deliver it: use another name");
        }
    }
}
