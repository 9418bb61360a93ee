package dev.caravan.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is answered.
 *
 * @param status 200, or 202 for what goes on after the answer
 * @param content the JSON object
 */
public record Answer(int status, Object content) {
    public static Answer of(Map<String, Object> fields) {
        return new Answer(200, fields);
    }

    /** A list. */
    public static Answer items(List<?> items) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("items", items);
        return of(fields);
    }

    /** What has begun and goes on. */
    public static Answer begun(Map<String, Object> fields) {
        return new Answer(202, fields);
    }
}
