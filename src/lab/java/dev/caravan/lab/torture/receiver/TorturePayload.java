package dev.caravan.lab.torture.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

/** The payload of a message of the writers. */
record TorturePayload(long sequence, Kind kind) {
    private static final ObjectMapper JSON = new ObjectMapper();

    static TorturePayload parse(byte[] json) throws IOException {
        return of(JSON.readTree(json));
    }

    static TorturePayload of(JsonNode payload) {
        return new TorturePayload(
                payload.get("sequence").asLong(),
                Kind.valueOf(payload.get("kind").asText()));
    }
}
