package dev.caravan.relay;

import dev.caravan.text.Causes;

/** A relay could not start. The message says what failed, why, and what to do. */
public final class RelayStartException extends RuntimeException {
    public RelayStartException(String message) {
        super(message);
    }

    RelayStartException(Throwable cause) {
        super(
                "Could not start the routes: " + reason(cause) + ". Nothing is delivered. Correct it and start again",
                cause);
    }

    /** The message of the root cause. Camel wraps it in several exceptions. */
    private static String reason(Throwable failure) {
        Throwable root = Causes.root(failure);
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
