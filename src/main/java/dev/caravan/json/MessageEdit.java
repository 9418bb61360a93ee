package dev.caravan.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.caravan.deadletter.DeadLetter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A new payload or new headers for a dead letter, with the same rules as for {@code publish}. The payload keeps its bytes. */
public final class MessageEdit {
    private final String text;
    private final Set<String> given = new HashSet<>();
    private String payload;
    private String headers;

    private MessageEdit(String text) {
        this.text = text;
    }

    public static MessageEdit read(byte[] json) throws BadLine {
        MessageLine.requireUtf8(json);
        MessageEdit edit = new MessageEdit(new String(json, StandardCharsets.UTF_8).replaceFirst("^\uFEFF", ""));
        edit.read();
        return edit;
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
    }

    private void field(JsonParser parser, String name) throws IOException, BadLine {
        if (!given.add(name)) {
            throw new BadLine("field " + MessageLine.shortened(name) + " occurs twice");
        }
        JsonToken value = parser.nextToken();
        switch (name) {
            case "payload" -> payload = value == JsonToken.VALUE_NULL ? null : span(parser);
            case "headers" -> headers = value == JsonToken.VALUE_NULL ? null : headers(parser);
            default ->
                throw new BadLine("unknown field " + MessageLine.shortened(name) + "; fields are payload, headers");
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

    public Optional<String> payload(DeadLetter letter) {
        return given.contains("payload") ? Optional.ofNullable(payload) : letter.payload();
    }

    public Optional<String> headers(DeadLetter letter) {
        return given.contains("headers") ? Optional.ofNullable(headers) : letter.headers();
    }

    /** The differences from the dead letter; empty when the edit changes nothing. */
    public List<JsonDifference> differences(DeadLetter letter) {
        List<JsonDifference> differences =
                new ArrayList<>(JsonDifference.between("payload", letter.payload(), payload(letter)));
        // jsonb does not preserve notation, so differences in notation are ignored
        JsonDifference.between("headers", letter.headers(), headers(letter)).stream()
                .filter(difference -> !difference.isOnlyWriting())
                .forEach(differences::add);
        return differences;
    }
}
