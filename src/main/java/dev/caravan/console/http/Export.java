package dev.caravan.console.http;

import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A response that is read while it is sent: the content of {@link ApiResponse} for a whole list.
 *
 * @param fileName the name under which a browser stores it
 * @param first the first part, which was read before the response begins
 * @param rest reads the next part, which may be an empty text; empty at the end
 */
public record Export(String contentType, String fileName, String first, Callable<Optional<String>> rest) {}
