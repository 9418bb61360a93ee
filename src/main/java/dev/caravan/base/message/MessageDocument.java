package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Reads messages from JSON objects in the layout of {@link MessageLine}, one after another and on any number of lines. */
public final class MessageDocument {
    private MessageDocument() {}

    /**
     * The messages, numbered from 1, with a new message id where none is given.
     *
     * @throws BadLine if an object is not a valid message; the text contains the number of the object
     */
    public static List<Message> read(byte[] document, Instant createdAt) throws BadLine {
        List<Message> messages = new ArrayList<>();
        for (byte[] object : objects(document)) {
            try {
                MessageLine.row(object);
                messages.add(message(object, messages.size() + 1, createdAt));
            } catch (BadLine e) {
                throw new BadLine("message " + (messages.size() + 1) + ": " + e.getMessage());
            }
        }
        return messages;
    }

    private static List<byte[]> objects(byte[] document) throws BadLine {
        List<byte[]> objects = new ArrayList<>();
        try (JsonParser parser = MessageLine.JSON.createParser(document)) {
            while (parser.nextToken() != null) {
                int from = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                parser.finishToken();
                objects.add(Arrays.copyOfRange(
                        document, from, (int) parser.currentLocation().getByteOffset()));
            }
        } catch (JsonProcessingException e) {
            throw new BadLine("invalid JSON: " + MessageLine.withoutContent(e) + " of line "
                    + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
        return objects;
    }

    private static Message message(byte[] object, long id, Instant createdAt) {
        UUID messageId = UUID.randomUUID();
        String keyType = "";
        String keyId = "";
        String type = "";
        String headers = null;
        String payload = null;
        byte[] bytes = null;
        try (JsonParser parser = MessageLine.JSON.createParser(object)) {
            parser.nextToken();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = MessageLine.canonical(parser.currentName());
                boolean isNull = parser.nextToken() == JsonToken.VALUE_NULL;
                switch (name) {
                    case "messageId" -> messageId = UUID.fromString(parser.getText());
                    case "aggregateType" -> keyType = parser.getText();
                    case "aggregateId" -> keyId = parser.getText();
                    case "type" -> type = parser.getText();
                    case "headers" -> headers = isNull ? null : span(object, parser);
                    case "payload" -> payload = isNull ? null : span(object, parser);
                    case "payloadBase64" -> bytes = isNull ? null : MessageLine.bytes(parser);
                    default -> parser.skipChildren();
                }
            }
        } catch (IOException | BadLine e) {
            throw new IllegalStateException(e); // it was checked before
        }
        return new Message(id, messageId, new Key(keyType, keyId), type, headers, payload, bytes, createdAt);
    }

    private static String span(byte[] object, JsonParser parser) throws IOException {
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        parser.finishToken();
        int to = (int) parser.currentLocation().getByteOffset();
        return new String(object, from, to - from, StandardCharsets.UTF_8).strip();
    }
}
