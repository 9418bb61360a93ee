package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.caravan.base.text.TextFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A new payload or new headers for a dead letter, with the same rules as for {@code publish}. The bytes of the payload are not
 * changed. A JSON payload can be replaced by JSON only, a binary one by bytes only.
 */
public final class MessageEdit {
    private final String text;
    private final Set<String> given = new HashSet<>();
    private String payload;
    private byte[] bytes;
    private String headers;

    private MessageEdit(String text) {
        this.text = text;
    }

    public static MessageEdit read(byte[] json) throws BadLine {
        MessageLine.requireUtf8(json);
        MessageEdit edit = new MessageEdit(TextFile.unmarked(new String(json, StandardCharsets.UTF_8)));
        edit.read();
        return edit;
    }

    /** Another payload of the same kind: bytes for a binary message, otherwise a JSON value. */
    public static MessageEdit payload(byte[] payload, StoredContent original) throws BadLine {
        if (original.isBinary()) {
            MessageEdit edit = new MessageEdit("");
            edit.given.add("payloadBase64");
            edit.bytes = payload;
            return edit;
        }
        requireOneValue(payload);
        return read(("{\"payload\":" + TextFile.unmarked(new String(payload, StandardCharsets.UTF_8)) + "}")
                .getBytes(StandardCharsets.UTF_8));
    }

    private static void requireOneValue(byte[] json) throws BadLine {
        MessageLine.requireUtf8(json);
        try (JsonParser parser = MessageLine.JSON.createParser(json)) {
            if (parser.nextToken() == null) {
                throw new BadLine("the file is empty, but the payload must be JSON");
            }
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw new BadLine("more than one JSON value");
            }
        } catch (JsonProcessingException e) {
            throw new BadLine("invalid JSON: " + MessageLine.withoutContent(e));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
    }

    private void read() throws BadLine {
        try (JsonParser parser = MessageLine.JSON.createParser(text)) {
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
            throw new BadLine("invalid JSON: " + MessageLine.withoutContent(e));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
        if (given.isEmpty()) {
            throw new BadLine("neither payload nor headers given");
        }
        if (given.contains("payload") && given.contains("payloadBase64")) {
            throw new BadLine("payload and payloadBase64 exclude each other");
        }
    }

    private void field(JsonParser parser, String name) throws IOException, BadLine {
        if (!given.add(name)) {
            throw new BadLine("field " + MessageLine.shortened(name) + " occurs twice");
        }
        JsonToken value = parser.nextToken();
        switch (name) {
            case "payload" -> payload = value == JsonToken.VALUE_NULL ? null : span(parser);
            case "payloadBase64" -> bytes = value == JsonToken.VALUE_NULL ? null : MessageLine.bytes(parser);
            case "headers" -> headers = value == JsonToken.VALUE_NULL ? null : headers(parser);
            default ->
                throw new BadLine("unknown field " + MessageLine.shortened(name)
                        + "; fields are payload, payloadBase64, headers");
        }
    }

    private String span(JsonParser parser) throws IOException {
        int from = (int) parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return text.substring(from, (int) parser.currentLocation().getCharOffset())
                .strip();
    }

    private String headers(JsonParser parser) throws IOException, BadLine {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new BadLine("headers must be an object, got " + MessageLine.kind(parser.currentToken()));
        }
        int from = (int) parser.currentTokenLocation().getCharOffset();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = "headers." + MessageLine.shortened(parser.currentName());
            MessageLine.requireStorable(parser.currentName(), "a name in headers");
            MessageLine.header(parser, parser.nextToken(), name);
        }
        return text.substring(from, (int) parser.currentLocation().getCharOffset());
    }

    /**
     * The content of a message after the edit.
     *
     * @throws BadLine if the new payload is of the other kind than the original one, or if this is too large to be shown
     */
    public StoredContent of(StoredContent original) throws BadLine {
        if (original.leftOut() > 0) {
            throw new BadLine("a message of " + original.leftOut() + " bytes is too large to be changed");
        }
        if (payload != null && original.isBinary()) {
            throw new BadLine("the payload is binary: give payloadBase64 instead of payload");
        }
        if (bytes != null && original.payload().isPresent()) {
            throw new BadLine("the payload is JSON: give payload instead of payloadBase64");
        }
        boolean newPayload = given.contains("payload") || given.contains("payloadBase64");
        return new StoredContent(
                given.contains("headers") ? Optional.ofNullable(headers) : original.headers(),
                newPayload ? Optional.ofNullable(payload) : original.payload(),
                newPayload ? Optional.ofNullable(bytes) : original.bytes());
    }

    /** The differences of two contents of a message; empty if there are none that matter. */
    public static List<JsonDifference> differences(StoredContent before, StoredContent after) {
        List<JsonDifference> differences =
                new ArrayList<>(JsonDifference.between("payload", before.payload(), after.payload()));
        differences.addAll(JsonDifference.betweenBytes("payloadBase64", before.bytes(), after.bytes()));
        // jsonb does not preserve notation, so differences in notation are ignored
        JsonDifference.between("headers", before.headers(), after.headers()).stream()
                .filter(difference -> !difference.isOnlyNotation())
                .forEach(differences::add);
        return differences;
    }
}
