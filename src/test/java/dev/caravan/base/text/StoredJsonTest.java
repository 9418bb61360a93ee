package dev.caravan.base.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Names of fields come from applications: they may all be different, and have 100,000 characters. */
class StoredJsonTest {
    private static final String NAME = "n".repeat(100);

    @Test
    void keepsNoNameAfterItWasReadFromTextOrBytes() throws IOException {
        JsonFactory factory = StoredJson.factory();
        assertNotSame(ofText(factory), ofText(factory));
        assertNotSame(ofBytes(factory), ofBytes(factory));
    }

    @Test
    void aMapperKeepsNoNameEither() throws IOException {
        for (ObjectMapper mapper : new ObjectMapper[] {
            StoredJson.mapper().build(),
            StoredJson.requestMapper().build(),
            StoredJson.payloadMapper().build(),
            StoredJson.payloadMapper().build().copy()
        }) {
            assertNotSame(ofText(mapper.getFactory()), ofText(mapper.getFactory()));
            assertNotSame(ofBytes(mapper.getFactory()), ofBytes(mapper.getFactory()));
        }
    }

    @Test
    void refusesBytesThatAreNoUtf8() throws IOException {
        byte[] latin = "{\"a\":\"caf\u00e9 \"}".getBytes(StandardCharsets.ISO_8859_1);

        for (ObjectMapper mapper : new ObjectMapper[] {
            StoredJson.mapper().build(), StoredJson.payloadMapper().build().copy()
        }) {
            assertThrows(JsonProcessingException.class, () -> mapper.readTree(latin));
            assertThrows(JsonProcessingException.class, () -> mapper.readTree(new ByteArrayInputStream(latin)));
        }
    }

    private static String ofText(JsonFactory factory) throws IOException {
        return name(factory.createParser("{\"" + NAME + "\":1}"));
    }

    private static String ofBytes(JsonFactory factory) throws IOException {
        byte[] json = ("{\"" + NAME + "\":1}").getBytes(StandardCharsets.UTF_8);
        assertNotSame(
                name(factory.createParser(new ByteArrayInputStream(json))),
                name(factory.createParser(new ByteArrayInputStream(json))));
        return name(factory.createParser(json));
    }

    private static String name(JsonParser parser) throws IOException {
        try (parser) {
            parser.nextToken();
            parser.nextToken();
            assertEquals(NAME, parser.currentName());
            return parser.currentName();
        }
    }
}
