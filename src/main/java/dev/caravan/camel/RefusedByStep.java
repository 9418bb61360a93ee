package dev.caravan.camel;

import dev.caravan.base.text.Causes;
import java.util.Set;
import org.apache.camel.ExchangeException;

/**
 * Failures of a step that refuses a message before anything is sent, because of earlier messages. Used by the error handling of the
 * routes. The classes are named, because their library is in the folder {@code lib} of those who use it.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class RefusedByStep {
    private static final Set<String> REFUSALS = Set.of(
            "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
            "io.github.resilience4j.bulkhead.BulkheadFullException");

    private RefusedByStep() {}

    /** Whether an open circuit or a full bulkhead is the cause. */
    public static boolean isCauseOf(@ExchangeException Exception error) {
        return Causes.of(error)
                .anyMatch(cause -> REFUSALS.contains(cause.getClass().getName()));
    }
}
