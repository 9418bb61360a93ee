package dev.caravan.relay;

import dev.caravan.base.text.Causes;
import dev.caravan.base.text.Sentence;
import dev.caravan.routes.tryout.Lookups;
import org.apache.camel.FailedToStartRouteException;

/** A relay could not start. The message says what failed, why, and what to do. */
public final class RelayStartException extends RuntimeException {
    public RelayStartException(String message) {
        super(message);
    }

    private RelayStartException(String message, Throwable cause) {
        super(message, cause);
    }

    RelayStartException(Throwable cause, Lookups lookups) {
        super(
                "Could not start the routes: " + route(cause) + Sentence.of(lookups.reason(cause))
                        + " Nothing is delivered. Correct it and start again",
                cause);
    }

    /** A console could not start. */
    static RelayStartException ofConsole(Exception cause, Lookups lookups) {
        return cause instanceof RelayStartException known
                ? known
                : new RelayStartException(
                        "Could not start the console: " + Sentence.of(lookups.reason(cause))
                                + " Nothing was started. Correct it and start again",
                        cause);
    }

    /** The route that could not start, with a colon; empty if the relay failed otherwise. */
    private static String route(Throwable thrown) {
        return Causes.first(FailedToStartRouteException.class, thrown)
                .filter(failure ->
                        failure.getCause() != null) // otherwise its message is the reason and names the route
                .map(failure -> {
                    String place = failure.getLocation() == null ? "" : failure.getLocation() + ": ";
                    return place + "route " + failure.getRouteId() + ": ";
                })
                .orElse("");
    }
}
