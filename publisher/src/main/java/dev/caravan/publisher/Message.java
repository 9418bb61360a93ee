package dev.caravan.publisher;

import java.nio.charset.StandardCharsets;
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
 * @param id the message id, which receivers use to recognise a repeat; {@link #of} makes a new one
 * @param aggregateType what the message is about, for example {@code order}; the first half of the key
 * @param aggregateId which one, for example its primary key; the second half of the key. Messages of one key are delivered in order.
 * @param type what happened, for example {@code order.created}. Subscriptions select messages by type.
 * @param payload JSON; null for a message without payload, which is sent to Kafka as a tombstone
 * @param headers sent with the message, for example a tenant
 */
public record Message(
        UUID id, String aggregateType, String aggregateId, String type, String payload, Map<String, String> headers) {
    private static final String TRACEPARENT = "traceparent";
    /** W3C Trace Context, level 1, section 3.2. */
    private static final Pattern TRACE_CONTEXT =
            Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");
    /** A constraint of the table: keys and types are indexed. */
    private static final int MOST_BYTES_OF_KEY_AND_TYPE = 1000;

    private static final Set<String> SET_BY_CARAVAN =
            Set.of("id", "type", "aggregate-type", "aggregate-id", "created-at", "outbox-id");

    /**
     * @throws NullPointerException if a component other than the payload is null, or a header's name or value
     * @throws IllegalArgumentException if key and type together exceed 1,000 bytes of UTF-8, or the name of a header is reserved:
     *     those that Caravan sets, and those that begin with {@code camel}, {@code org.apache.camel.} or {@code kafka.}
     */
    public Message {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(aggregateType, "aggregateType");
        Objects.requireNonNull(aggregateId, "aggregateId");
        Objects.requireNonNull(type, "type");
        int bytes = bytes(aggregateType) + bytes(aggregateId) + bytes(type);
        if (bytes > MOST_BYTES_OF_KEY_AND_TYPE) {
            throw new IllegalArgumentException(
                    "aggregate type, aggregate id and type have " + bytes + " bytes together, but may have at most "
                            + MOST_BYTES_OF_KEY_AND_TYPE + ": use a shorter aggregate id");
        }
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        headers.forEach(Message::requireHeader);
    }

    /**
     * Creates a message with a new message id (UUID version 7) and without headers.
     *
     * @param payload JSON, or null
     */
    public static Message of(String aggregateType, String aggregateId, String type, String payload) {
        return new Message(MessageIds.next(), aggregateType, aggregateId, type, payload, Map.of());
    }

    /** Returns this message with a message id of the application, for example that of a command which must have one effect only. */
    public Message withId(UUID newId) {
        return new Message(newId, aggregateType, aggregateId, type, payload, headers);
    }

    /** Returns this message with one more header, or another value of a header. */
    public Message withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Message(id, aggregateType, aggregateId, type, payload, more);
    }

    /**
     * Returns this message as part of a trace: Caravan's spans become children of the application's span.
     *
     * @param traceparent W3C Trace Context, for example {@code 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01}
     * @throws IllegalArgumentException if it has another form
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
                || lower.startsWith("kafka.")) {
            throw new IllegalArgumentException(
                    "header " + name + " is reserved, and Caravan would not deliver it: use another name");
        }
    }
}
