package dev.caravan.base.message;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.caravan.base.text.StoredJson;

/** Writes JSON for {@code --output json} and the HTTP API. */
public final class Json {
    private static final ObjectMapper LINE = StoredJson.mapper().build();
    private static final ObjectMapper INDENTED =
            StoredJson.mapper().enable(SerializationFeature.INDENT_OUTPUT).build();

    private Json() {}

    /** @param value maps, lists, strings, numbers and booleans */
    public static String text(Object value) {
        return written(INDENTED, value);
    }

    /** The same without line breaks. */
    public static String line(Object value) {
        return written(LINE, value);
    }

    /** The tree of a text that is JSON. */
    public static JsonNode tree(String text) {
        try {
            return LINE.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String written(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
