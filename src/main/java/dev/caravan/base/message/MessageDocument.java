package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
                messages.add(MessageLine.message(object, messages.size() + 1, createdAt));
            } catch (BadLine e) {
                throw new BadLine("message " + (messages.size() + 1) + ": " + e.getMessage());
            }
        }
        return messages;
    }

    private static List<byte[]> objects(byte[] document) throws BadLine {
        List<byte[]> objects = new ArrayList<>();
        try (JsonParser parser = MessageFields.JSON.createParser(document)) {
            while (parser.nextToken() != null) {
                int from = (int) parser.currentTokenLocation().getByteOffset();
                parser.skipChildren();
                parser.finishToken();
                objects.add(Arrays.copyOfRange(
                        document, from, (int) parser.currentLocation().getByteOffset()));
            }
        } catch (JsonProcessingException e) {
            throw new BadLine("invalid JSON: " + MessageFields.withoutContent(e) + " of line "
                    + (e.getLocation() == null ? "?" : e.getLocation().getLineNr()));
        } catch (IOException e) {
            throw new BadLine("invalid JSON");
        }
        return objects;
    }
}
