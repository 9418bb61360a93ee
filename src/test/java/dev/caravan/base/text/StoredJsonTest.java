package dev.caravan.base.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
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

    private static String ofText(JsonFactory factory) throws IOException {
        return name(factory.createParser("{\"" + NAME + "\":1}"));
    }

    private static String ofBytes(JsonFactory factory) throws IOException {
        return name(factory.createParser(("{\"" + NAME + "\":1}").getBytes(StandardCharsets.UTF_8)));
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
