package dev.caravan.console.http;

import java.util.List;
import java.util.Map;

/**
 * The successful response of an operation.
 *
 * @param status 200, or 202 when the work continues after the response
 * @param content the JSON object of the body
 */
public record ApiResponse(int status, Object content) {
    public static ApiResponse of(Object content) {
        return new ApiResponse(200, content);
    }

    /** A response with the field {@code items}. */
    public static ApiResponse items(List<?> items) {
        return of(Map.of("items", items));
    }

    /** A response with status 202: the work has started and continues. */
    public static ApiResponse accepted(Object content) {
        return new ApiResponse(202, content);
    }
}
