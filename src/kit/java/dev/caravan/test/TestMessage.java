package dev.caravan.test;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.BadLine;
import dev.caravan.base.message.Json;
import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.base.message.MessageDocument;
import dev.caravan.camel.headers.RowHeaders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A message for the outbox, as an application would write it. Immutable: each method returns a new message. The message id is assigned
 * when the message is created, so {@link RouteTest#send sending} the same object twice is a repeat.
 */
public final class TestMessage {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final UUID id;
    private final String type;
    /** Null for a key that no other message has. */
    private final Key key;

    private final Map<String, String> headers;
    private final String payload;
    private final byte[] bytes;
    private final Instant createdAt;

    private TestMessage(
            UUID id,
            String type,
            Key key,
            Map<String, String> headers,
            String payload,
            byte[] bytes,
            Instant createdAt) {
        this.id = id;
        this.type = type;
        this.key = key;
        this.headers = headers;
        this.payload = payload;
        this.bytes = bytes;
        this.createdAt = createdAt;
    }

    /**
     * Returns a message with a new id, an empty body, no headers, and a key that no other message has.
     *
     * @param type what happened, for example {@code order.placed}
     */
    public static TestMessage message(String type) {
        return new TestMessage(UUID.randomUUID(), type, null, Map.of(), null, null, Clock.SYSTEM.now());
    }

    /**
     * Reads the messages of a file in the format of {@code ./caravan publish}: JSON objects, one after another. The files
     * {@code samples/TYPE.json} beside route files have the same format.
     *
     * @param file relative to the working directory, which is the folder of the project for Maven and Gradle
     * @throws IllegalArgumentException if the file cannot be read or an object is not a message
     */
    public static List<TestMessage> read(String file) {
        try {
            return MessageDocument.read(Files.readAllBytes(Path.of(file)), Clock.SYSTEM.now()).stream()
                    .map(TestMessage::of)
                    .toList();
        } catch (IOException | BadLine e) {
            throw new IllegalArgumentException("Could not read messages from " + file + ": " + e.getMessage(), e);
        }
    }

    static TestMessage of(Message row) {
        return new TestMessage(
                row.messageId(),
                row.type(),
                row.key(),
                headers(row.headers()),
                row.payload(),
                row.payloadBytes(),
                row.createdAt());
    }

    private static Map<String, String> headers(String json) {
        Map<String, String> headers = new TreeMap<>();
        try {
            if (json != null) {
                RowHeaders.of(json).passTo(headers::put);
            }
            return headers;
        } catch (IOException e) {
            throw new IllegalArgumentException("The headers are not a JSON object", e);
        }
    }

    /** Returns this message with another message id, which receivers see. */
    public TestMessage id(UUID newId) {
        return new TestMessage(newId, type, key, headers, payload, bytes, createdAt);
    }

    /**
     * Returns this message with this key. Messages of one key are delivered in order.
     *
     * @param text aggregate type and aggregate id, for example {@code order/7}
     * @throws IllegalArgumentException if there is no slash, or nothing before or after it
     */
    public TestMessage key(String text) {
        return key(Key.parse(text)
                .orElseThrow(() ->
                        new IllegalArgumentException("A key has the form TYPE/ID, such as order/7, got " + text)));
    }

    /** Returns this message with this key, for an aggregate type that contains a slash. */
    public TestMessage key(String aggregateType, String aggregateId) {
        return key(new Key(aggregateType, aggregateId));
    }

    private TestMessage key(Key newKey) {
        return new TestMessage(id, type, newKey, headers, payload, bytes, createdAt);
    }

    /**
     * Returns this message with this payload, which is delivered byte for byte.
     *
     * @param json a JSON value, because the outbox stores no other text; null for an empty body
     * @throws IllegalArgumentException if it is not JSON
     */
    public TestMessage payload(String json) {
        try {
            if (json != null && JSON.readTree(json).isMissingNode()) {
                throw new IllegalArgumentException("The payload is empty. For an empty body use null.");
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "The payload is not JSON (" + e.getOriginalMessage()
                            + "), and the outbox stores no other text. For other contents use payload(byte[]).",
                    e);
        }
        return new TestMessage(id, type, key, headers, json, null, createdAt);
    }

    /** Returns this message with a binary payload, as in the column {@code payload_bytes}. */
    public TestMessage payload(byte[] content) {
        return new TestMessage(id, type, key, headers, null, content.clone(), createdAt);
    }

    /** Returns this message with one more header in the column {@code headers}; it replaces one with the same name. */
    public TestMessage header(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new TestMessage(id, type, key, more, payload, bytes, createdAt);
    }

    /** Returns this message with this time of creation instead of the current time. */
    public TestMessage createdAt(Instant time) {
        return new TestMessage(id, type, key, headers, payload, bytes, time);
    }

    /** The message id. */
    public UUID id() {
        return id;
    }

    /** The message type, for example {@code order.placed}. */
    public String type() {
        return type;
    }

    /** The row of the outbox with this number. */
    Message row(long number) {
        Key own = new Key(type.isEmpty() ? "test" : type.replaceFirst("\\..*", ""), Long.toString(number));
        return new Message(
                number,
                id,
                key == null ? own : key,
                type,
                headers.isEmpty() ? null : Json.line(headers),
                payload,
                bytes,
                createdAt);
    }
}
