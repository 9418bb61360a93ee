package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.caravan.base.text.StoredJson;
import dev.caravan.base.text.TextFile;
import dev.caravan.base.text.UuidText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Reads the fields of one JSON object: a message, or a change of one. Payload and headers remain as they are written. An error contains
 * no content, which may be secret.
 */
final class MessageFields {
    static final JsonFactory JSON = StoredJson.factory();

    /** Reads the value of one field, by the methods of the fields. */
    interface Reader {
        void read(String name) throws IOException, BadLine;
    }

    private interface TokenUse {
        void of(JsonParser tokens) throws IOException, BadLine;
    }

    private final String object;
    private final Set<String> names = new HashSet<>();
    private JsonParser parser;

    MessageFields(byte[] json) throws BadLine {
        object = decoded(json);
    }

    /** The text without a byte order mark. Refuses other encodings than UTF-8; with zero bytes it may be UTF-16. */
    static String decoded(byte[] text) throws BadLine {
        for (byte b : text) {
            if (b == 0) {
                throw new BadLine("contains a zero byte");
            }
        }
        try {
            return TextFile.unmarked(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString());
        } catch (CharacterCodingException e) {
            throw new BadLine("not UTF-8");
        }
    }

    /** @param otherNames names that are accepted for others */
    void read(Map<String, String> otherNames, Reader fields) throws BadLine {
        use(object, tokens -> {
            parser = tokens;
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BadLine("not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = otherNames.getOrDefault(parser.currentName(), parser.currentName());
                if (!names.add(name)) {
                    throw new BadLine("field " + shortened(name) + " occurs twice");
                }
                parser.nextToken();
                fields.read(name);
            }
            requireEnd(parser);
        });
    }

    /** Requires that a text is one JSON value. */
    static void requireOneValue(String json) throws BadLine {
        use(json, tokens -> {
            if (tokens.nextToken() == null) {
                throw new BadLine("the file is empty, but the payload must be JSON");
            }
            tokens.skipChildren();
            requireEnd(tokens);
        });
    }

    private static void use(String json, TokenUse use) throws BadLine {
        try (JsonParser tokens = JSON.createParser(json)) {
            use.of(tokens);
        } catch (JsonProcessingException e) {
            throw new BadLine("invalid JSON: " + withoutContent(e));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
    }

    private static void requireEnd(JsonParser tokens) throws IOException, BadLine {
        if (tokens.nextToken() != null) {
            throw new BadLine("more than one JSON value");
        }
    }

    /** The reason and column of a JSON error, without content. */
    static String withoutContent(JsonProcessingException e) {
        var location = e.getLocation();
        String where = location == null ? "" : " at column " + location.getColumnNr();
        return (e instanceof JsonEOFException ? "the line ends too early" : "unexpected character") + where;
    }

    static String shortened(String name) {
        return name.length() <= 50 ? name : name.substring(0, 50) + "…";
    }

    /** Whether a field was given, also if it is null. */
    boolean has(String name) {
        return names.contains(name);
    }

    void skip() throws IOException {
        parser.skipChildren();
    }

    /** A text that is not blank. */
    String text(String name) throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadLine(name + " must be a string, got " + kind());
        }
        String text = parser.getText();
        if (text.isBlank()) {
            throw new BadLine(name + " must not be empty");
        }
        requireStorable(text, name);
        return text;
    }

    private static void requireStorable(String text, String name) throws BadLine {
        if (text.indexOf('\0') >= 0) {
            throw new BadLine(name + " contains the character \\u0000, which Postgres cannot store");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new BadLine(name + " contains an unpaired surrogate (\\ud800 to \\udfff)");
        }
    }

    UUID messageId() throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.VALUE_STRING || !UuidText.isUuid(parser.getText())) {
            throw new BadLine("messageId must be a UUID such as 3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a");
        }
        return UUID.fromString(parser.getText());
    }

    /** A payload as it is written; null for null. */
    String payload() throws IOException {
        return isNull() ? null : written();
    }

    /** A payload as the text of a string; null for null. */
    String payloadText() throws IOException, BadLine {
        if (isNull()) {
            return null;
        }
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadLine("payloadText must be a string, got " + kind());
        }
        String text = parser.getText();
        requireStorable(text, "payloadText");
        requireOneValue(text);
        return text;
    }

    /** The bytes of a payload in Base64 (RFC 4648, section 4); null for null. */
    byte[] payloadBase64() throws IOException, BadLine {
        if (isNull()) {
            return null;
        }
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw new BadLine("payloadBase64 must be a string, got " + kind());
        }
        try {
            return Base64.getDecoder().decode(parser.getText());
        } catch (IllegalArgumentException e) {
            throw new BadLine("payloadBase64 is not Base64");
        }
    }

    /** An object of texts, numbers and booleans as it is written; null for null. */
    String headers() throws IOException, BadLine {
        if (isNull()) {
            return null;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new BadLine("headers must be an object, got " + kind());
        }
        int from = (int) parser.currentTokenLocation().getCharOffset();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = "headers." + shortened(parser.currentName());
            requireStorable(parser.currentName(), "a name in headers");
            parser.nextToken();
            requireHeader(name);
        }
        return object.substring(from, (int) parser.currentLocation().getCharOffset());
    }

    private void requireHeader(String name) throws IOException, BadLine {
        switch (parser.currentToken()) {
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
            default -> throw new BadLine(name + " must be a string, a number or a boolean, got " + kind());
        }
    }

    private boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    private String written() throws IOException {
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return object.substring(from, (int) parser.currentLocation().getCharOffset())
                .strip();
    }

    private String kind() {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NULL -> "null";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            default -> "a number";
        };
    }
}
