package dev.caravan.console.http;

import java.util.Optional;

/**
 * A response that is read while it is sent: the content of {@link ApiResponse} for a whole list.
 *
 * @param fileName the name under which a browser stores it
 * @param first the first part, which was read before the response begins
 */
public record Export(String contentType, String fileName, String first, Rest rest) {
    /** Reads what follows the first part. */
    @FunctionalInterface
    public interface Rest {
        /** The next part, which may be an empty text; empty at the end. */
        Optional<String> next() throws Exception;
    }
}
