package dev.caravan.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The successful response of an operation.
 *
 * @param status 200, or 202 when the work continues after the response
 * @param content the JSON object of the body
 */
public record Answer(int status, Object content) {
    public static Answer of(Map<String, Object> fields) {
        return new Answer(200, fields);
    }

    /** A response with the field {@code items}. */
    public static Answer items(List<?> items) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("items", items);
        return of(fields);
    }

    /** A response with status 202: the work has started and continues. */
    public static Answer accepted(Map<String, Object> fields) {
        return new Answer(202, fields);
    }
}
