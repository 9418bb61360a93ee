package dev.caravan.base.message;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A new payload or new headers for a dead letter, with the same rules as for {@code publish}. The bytes of the payload are not
 * changed. A JSON payload can be replaced by JSON only, a binary one by bytes only.
 */
public final class MessageEdit {
    private final Set<String> given = new HashSet<>();
    private String payload;
    private byte[] bytes;
    private String headers;

    private MessageEdit() {}

    public static MessageEdit read(byte[] json) throws BadLine {
        MessageEdit edit = new MessageEdit();
        MessageFields fields = new MessageFields(json);
        fields.read(Map.of(), name -> edit.read(name, fields));
        if (edit.given.isEmpty()) {
            throw new BadLine("neither payload nor headers given");
        }
        if (edit.given.containsAll(List.of("payload", "payloadBase64"))) {
            throw new BadLine("payload and payloadBase64 exclude each other");
        }
        return edit;
    }

    private void read(String name, MessageFields fields) throws IOException, BadLine {
        given.add(name);
        switch (name) {
            case "payload" -> payload = fields.payload();
            case "payloadBase64" -> bytes = fields.payloadBase64();
            case "headers" -> headers = fields.headers();
            default ->
                throw new BadLine("unknown field " + MessageFields.shortened(name)
                        + "; fields are payload, payloadBase64, headers");
        }
    }

    /** Another payload of the same kind: bytes for a binary message, otherwise a JSON value. */
    public static MessageEdit payload(byte[] payload, StoredContent original) throws BadLine {
        if (original.isBinary()) {
            MessageEdit edit = new MessageEdit();
            edit.given.add("payloadBase64");
            edit.bytes = payload;
            return edit;
        }
        String json = MessageFields.decoded(payload);
        MessageFields.requireOneValue(json);
        return read(("{\"payload\":" + json + "}").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The edit with the original value in place of each mask, as {@link Mask#reveal(String, Optional)}. Nothing else of it is changed.
     *
     * @throws BadLine when a mask is not that of one value of the original
     */
    public MessageEdit revealed(Mask mask, StoredContent original) throws BadLine {
        MessageEdit revealed = new MessageEdit();
        revealed.given.addAll(given);
        revealed.payload = payload == null ? null : mask.reveal(payload, original.payload());
        revealed.bytes = bytes;
        revealed.headers = headers == null ? null : mask.reveal(headers, original.headers());
        return revealed;
    }

    /** Whether it gives headers, also those that the message has. */
    public boolean hasHeaders() {
        return given.contains("headers");
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
                hasHeaders() ? Optional.ofNullable(headers) : original.headers(),
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
