package dev.caravan.console.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The successful response of an operation.
 *
 * @param status 200, or 202 when the work continues after the response
 * @param content the JSON object of the body
 */
public record ApiResponse(int status, Object content) {
    /** The content of a response to a change. */
    public interface Change {
        /** False if nothing had to be changed. */
        boolean changed();
    }

    public static ApiResponse of(Object content) {
        return new ApiResponse(200, content);
    }

    /** A response with the field {@code items}. */
    public static ApiResponse items(List<?> items) {
        return of(Map.of("items", items));
    }

    private record Page(List<?> items, Optional<String> next) {}

    /** @param next where the next page starts; empty at the end of the list */
    public static ApiResponse page(List<?> items, Optional<String> next) {
        return of(new Page(items, next));
    }

    /** A response to a change that was made and has nothing to report. */
    public static ApiResponse changed() {
        return of(Map.of("changed", true));
    }

    /** A response with status 202: the work has started and continues. */
    public static ApiResponse accepted(Object content) {
        return new ApiResponse(202, content);
    }
}
