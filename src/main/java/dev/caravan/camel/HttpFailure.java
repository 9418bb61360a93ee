package dev.caravan.camel;

import dev.caravan.base.text.Causes;
import java.util.Optional;
import org.apache.camel.ExchangeException;
import org.apache.camel.http.base.HttpOperationFailedException;

/**
 * Classifies answers of HTTP by their status, also if another exception has the answer as its cause. Used by the error handling of the routes.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class HttpFailure {
    private HttpFailure() {}

    /** Whether the status is one of a list: {@code 401|503}. */
    public static boolean isAnyOf(@ExchangeException Exception error, String list) {
        return status(error).filter(status -> status.matches(list)).isPresent();
    }

    /** Whether the status is 4xx and none of a list: {@code 408|425}. */
    public static boolean isOther4xx(@ExchangeException Exception error, String list) {
        return status(error)
                .filter(status -> status.matches("4\\d\\d") && !status.matches(list))
                .isPresent();
    }

    private static Optional<String> status(Exception error) {
        return Causes.first(HttpOperationFailedException.class, error)
                .map(answer -> Integer.toString(answer.getStatusCode()));
    }
}
