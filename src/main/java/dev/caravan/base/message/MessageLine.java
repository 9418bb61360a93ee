package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.caravan.base.text.NearestName;
import dev.caravan.base.text.StoredJson;
import dev.caravan.base.text.UuidText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Parses one line of JSON as a message. The bytes of the payload are not changed. The values of headers are not changed, but their
 * notation is, because the column is jsonb. A payload of {@code null} is an empty body. A binary payload is Base64 in
 * the field {@code payloadBase64}.
 */
public final class MessageLine {
    private static final List<String> TEXTS = List.of("aggregateType", "aggregateId", "type");
    private static final List<String> FIELDS = List.of(
            "aggregateType", "aggregateId", "type", "payload", "payloadBase64", "headers", "messageId", "deadLetter");
    private static final Map<String, String> COLUMN_NAMES =
            Map.of("aggregate_type", "aggregateType", "aggregate_id", "aggregateId", "message_id", "messageId");

    static final JsonFactory JSON = StoredJson.factory();

    private final byte[] line;
    private final Set<String> seen = new HashSet<>();
    private byte[] messageId;
    private byte[] aggregateType;
    private byte[] aggregateId;
    private byte[] type;
    private byte[] headers = CopyRow.NULL;
    private byte[] payload = CopyRow.NULL;
    private byte[] bytes = CopyRow.NULL;

    private MessageLine(byte[] line) {
        this.line = line;
    }

    /** The columns of {@link Row#copyRow}, in order. */
    public static final String COLUMNS =
            "message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes";

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
        requireUtf8(line);
        MessageLine message = new MessageLine(withoutByteOrderMark(line));
        message.read();
        Optional<UUID> givenId = Optional.ofNullable(message.messageId)
                .map(id -> UUID.fromString(new String(id, StandardCharsets.US_ASCII)));
        return new Row(message.row(), givenId);
    }

    private static byte[] withoutByteOrderMark(byte[] line) {
        boolean marked = line.length >= 3 && line[0] == (byte) 0xEF && line[1] == (byte) 0xBB && line[2] == (byte) 0xBF;
        return marked ? Arrays.copyOfRange(line, 3, line.length) : line;
    }

    /** Refuses other encodings. Zero bytes would make the parser assume UTF-16. */
    static void requireUtf8(byte[] line) throws BadLine {
        for (byte b : line) {
            if (b == 0) {
                throw new BadLine("contains a zero byte");
            }
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line));
        } catch (CharacterCodingException e) {
            throw new BadLine("not UTF-8");
        }
    }

    private void read() throws BadLine {
        try (JsonParser parser = JSON.createParser(line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BadLine("not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                field(parser, parser.currentName());
            }
            if (parser.nextToken() != null) {
                throw new BadLine("more than one JSON value");
            }
        } catch (JsonProcessingException e) {
            throw new BadLine("invalid JSON: " + withoutContent(e));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
        requireAll();
    }

    /** The reason and column of a JSON error, without content, which may contain secrets. */
    static String withoutContent(JsonProcessingException e) {
        var location = e.getLocation();
        String where = location == null ? "" : " at column " + location.getColumnNr();
        return (e instanceof JsonEOFException ? "the line ends too early" : "unexpected character") + where;
    }

    /** The name of a field; the name of its column is accepted too. */
    static String canonical(String name) {
        return COLUMN_NAMES.getOrDefault(name, name);
    }

    private void field(JsonParser parser, String given) throws IOException, BadLine {
        String name = canonical(given);
        if (!seen.add(name)) {
            throw new BadLine("field " + name + " occurs twice");
        }
        parser.nextToken();
        switch (name) {
            case "aggregateType" -> aggregateType = text(parser, name);
            case "aggregateId" -> aggregateId = text(parser, name);
            case "type" -> type = text(parser, name);
            case "payload" -> payload = span(parser);
            case "payloadBase64" -> bytes = bytea(parser);
            case "headers" -> headers = headers(parser);
            case "messageId" -> messageId = uuid(parser);
            case "deadLetter" -> parser.skipChildren(); // added by an export of dead letters
            default ->
                throw new BadLine("unknown field " + shortened(name)
                        + NearestName.suggestion(name, FIELDS, "; fields are " + String.join(", ", FIELDS)));
        }
    }

    static String shortened(String name) {
        return name.length() <= 50 ? name : name.substring(0, 50) + "…";
    }

    private static byte[] text(JsonParser parser, String name) throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadLine(name + " must be a string, got " + kind(parser.currentToken()));
        }
        String text = parser.getText();
        if (text.isBlank()) {
            throw new BadLine(name + " must not be empty");
        }
        requireStorable(text, name);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static void requireStorable(String text, String name) throws BadLine {
        if (text.indexOf('\0') >= 0) {
            throw new BadLine(name + " contains the character \\u0000, which Postgres cannot store");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new BadLine(name + " contains an unpaired surrogate (\\ud800 to \\udfff)");
        }
    }

    private static byte[] uuid(JsonParser parser) throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.VALUE_STRING || !UuidText.isUuid(parser.getText())) {
            throw new BadLine("messageId must be a UUID such as 3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a");
        }
        return parser.getText().getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytea(JsonParser parser) throws IOException, BadLine {
        return parser.currentToken() == JsonToken.VALUE_NULL ? CopyRow.NULL : CopyRow.bytea(bytes(parser));
    }

    /** The bytes of a text in Base64 (RFC 4648, section 4). */
    static byte[] bytes(JsonParser parser) throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadLine("payloadBase64 must be a string, got " + kind(parser.currentToken()));
        }
        try {
            return Base64.getDecoder().decode(parser.getText());
        } catch (IllegalArgumentException e) {
            throw new BadLine("payloadBase64 is not Base64");
        }
    }

    private byte[] span(JsonParser parser) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return CopyRow.NULL;
        }
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        parser.finishToken();
        int to = (int) parser.currentLocation().getByteOffset();
        return CopyRow.text(new String(line, from, to - from, StandardCharsets.UTF_8)
                .strip()
                .getBytes(StandardCharsets.UTF_8));
    }

    private byte[] headers(JsonParser parser) throws IOException, BadLine {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return CopyRow.NULL;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new BadLine("headers must be an object, got " + kind(parser.currentToken()));
        }
        int from = (int) parser.currentTokenLocation().getByteOffset();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = "headers." + shortened(parser.currentName());
            requireStorable(parser.currentName(), "a name in headers");
            header(parser, parser.nextToken(), name);
        }
        int to = (int) parser.currentLocation().getByteOffset();
        return CopyRow.text(Arrays.copyOfRange(line, from, to));
    }

    static void header(JsonParser parser, JsonToken value, String name) throws IOException, BadLine {
        switch (value) {
            case VALUE_STRING -> requireStorable(parser.getText(), name);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                var number = parser.getDecimalValue();
                if (number.precision() > 1000 || Math.abs((long) number.scale()) > 1000) {
                    throw new BadLine(name + " is a number too large or too precise");
                }
            }
            case VALUE_TRUE, VALUE_FALSE -> {
                // allowed
            }
            default -> throw new BadLine(name + " must be a string, a number or a boolean, got " + kind(value));
        }
    }

    static String kind(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NULL -> "null";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            default -> "a number";
        };
    }

    private void requireAll() throws BadLine {
        List<String> missing = FIELDS.stream()
                .filter(field -> TEXTS.contains(field) || field.equals("payload") && !seen.contains("payloadBase64"))
                .filter(field -> !seen.contains(field))
                .toList();
        if (!missing.isEmpty()) {
            throw new BadLine("missing " + String.join(", ", missing));
        }
        if (payload != CopyRow.NULL && bytes != CopyRow.NULL) {
            throw new BadLine("payload and payloadBase64 exclude each other");
        }
    }

    private byte[] row() {
        byte[] id = messageId == null ? UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII) : messageId;
        return CopyRow.of(
                id,
                CopyRow.text(aggregateType),
                CopyRow.text(aggregateId),
                CopyRow.text(type),
                headers,
                payload,
                bytes);
    }
}
