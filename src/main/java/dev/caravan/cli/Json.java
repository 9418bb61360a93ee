package dev.caravan.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** What {@code --output json} prints. */
final class Json {
    private static final ObjectMapper LINE = new ObjectMapper();
    private static final ObjectMapper INDENTED = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    /** @param value maps, lists, strings, numbers and booleans */
    static String text(Object value) {
        return written(INDENTED, value);
    }

    /** The same on one line. */
    static String line(Object value) {
        return written(LINE, value);
    }

    private static String written(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
