package dev.caravan.headers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Reads the column {@code headers}. */
public final class RowHeaders {
    /** Property of an exchange: the column {@code headers} of its message as text; absent without headers. */
    public static final String PROPERTY = "CamelOutboxRowHeaders";

    /** Postgres writes numbers of up to 131,072 digits, and decimals keep every digit. */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private RowHeaders() {}

    /**
     * Passes on each header whose name is not reserved, with its value as text.
     *
     * @param headers a JSON object
     * @return the reserved names
     */
    public static List<String> read(String headers, BiConsumer<String, String> use) throws IOException {
        List<String> reserved = List.of();
        try (JsonParser json = JSON.createParser(headers)) {
            json.nextToken(); // the table takes nothing but an object
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (ReservedNames.contains(name)) {
                    json.skipChildren();
                    reserved = with(name, reserved);
                } else {
                    use.accept(name, text(json, value));
                }
            }
        }
        return reserved;
    }

    private static List<String> with(String name, List<String> names) {
        List<String> more = names.isEmpty() ? new ArrayList<>() : names;
        more.add(name);
        return more;
    }

    /** Numbers keep their spelling: Kafka and HTTP would send them in binary or drop what they do not know. */
    private static String text(JsonParser json, JsonToken value) throws IOException {
        return value.isStructStart() ? JSON.writeValueAsString(JSON.readTree(json)) : json.getText();
    }
}
