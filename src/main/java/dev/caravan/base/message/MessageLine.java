package dev.caravan.base.message;

import dev.caravan.base.text.NearestName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parses one line of JSON as a message. The bytes of the payload are not changed. The values of headers are not changed, but their
 * notation is, because the column is jsonb. A payload of {@code null} is an empty body; the JSON value {@code null} is {@code "null"} in the
 * field {@code payloadText}. A binary payload is Base64 in the field {@code payloadBase64}.
 */
public final class MessageLine {
    private static final List<String> REQUIRED = List.of("aggregateType", "aggregateId", "type", "payload");
    private static final List<String> FIELDS = List.of(
            "aggregateType",
            "aggregateId",
            "type",
            "payload",
            "payloadText",
            "payloadBase64",
            "headers",
            "messageId",
            "deadLetter");
    private static final Map<String, String> COLUMN_NAMES =
            Map.of("aggregate_type", "aggregateType", "aggregate_id", "aggregateId", "message_id", "messageId");

    /** The columns of {@link Row#copyRow}, in order. */
    public static final String COLUMNS =
            "message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes";

    private final MessageFields fields;
    private UUID messageId;
    private String aggregateType;
    private String aggregateId;
    private String type;
    private String headers;
    private String payload;
    private byte[] bytes;

    private MessageLine(byte[] line) throws BadLine {
        fields = new MessageFields(line);
        fields.read(COLUMN_NAMES, this::read);
        requireAll();
    }

    /**
     * A message for insertion into the outbox.
     *
     * @param copyRow a row in the text format of COPY
     * @param givenId the message id in the line; empty if one was generated
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Row(byte[] copyRow, Optional<UUID> givenId) {}

    /** Parses a line. */
    public static Row row(byte[] line) throws BadLine {
        MessageLine message = new MessageLine(line);
        return new Row(message.copyRow(), Optional.ofNullable(message.messageId));
    }

    /** The message in a line, with a new message id if none is given. */
    static Message message(byte[] line, long id, Instant createdAt) throws BadLine {
        MessageLine given = new MessageLine(line);
        Key key = new Key(given.aggregateType, given.aggregateId);
        return new Message(id, given.id(), key, given.type, given.headers, given.payload, given.bytes, createdAt);
    }

    private UUID id() {
        return messageId == null ? UUID.randomUUID() : messageId;
    }

    private void read(String name) throws IOException, BadLine {
        switch (name) {
            case "aggregateType" -> aggregateType = fields.text(name);
            case "aggregateId" -> aggregateId = fields.text(name);
            case "type" -> type = fields.text(name);
            case "payload" -> payload = fields.payload();
            case "payloadText" -> payload = fields.payloadText();
            case "payloadBase64" -> bytes = fields.payloadBase64();
            case "headers" -> headers = fields.headers();
            case "messageId" -> messageId = fields.messageId();
            case "deadLetter" -> fields.skip(); // added by an export of dead letters
            default ->
                throw new BadLine("unknown field " + MessageFields.shortened(name)
                        + NearestName.suggestion(name, FIELDS, "; fields are " + String.join(", ", FIELDS)));
        }
    }

    private void requireAll() throws BadLine {
        String missing = REQUIRED.stream()
                .filter(field -> !fields.has(field)
                        && !(field.equals("payload") && (fields.has("payloadBase64") || fields.has("payloadText"))))
                .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            throw new BadLine("missing " + missing);
        }
        if (fields.has("payload") && fields.has("payloadText")) {
            throw new BadLine("payload and payloadText exclude each other");
        }
        if (payload != null && bytes != null) {
            throw new BadLine("payload and payloadBase64 exclude each other");
        }
    }

    private byte[] copyRow() {
        String hexadecimal = bytes == null ? null : "\\x" + HexFormat.of().formatHex(bytes);
        return Stream.of(id().toString(), aggregateType, aggregateId, type, headers, payload, hexadecimal)
                .map(MessageLine::column)
                .collect(Collectors.joining("\t", "", "\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String column(String value) {
        return value == null
                ? "\\N"
                : value.replace("\\", "\\\\")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                        .replace("\t", "\\t");
    }
}
