package dev.caravan.console.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The successful response of an operation.
 *
 * @param status 200, or 202 when the work continues after the response
 * @param content the JSON object of the body
 */
public record ApiResponse(int status, Object content) {
    public static ApiResponse of(Map<String, Object> fields) {
        return new ApiResponse(200, fields);
    }

    /** A response with the field {@code items}. */
    public static ApiResponse items(List<?> items) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("items", items);
        return of(fields);
    }

    /** A response with status 202: the work has started and continues. */
    public static ApiResponse accepted(Map<String, Object> fields) {
        return new ApiResponse(202, fields);
    }
}
