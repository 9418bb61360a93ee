package dev.caravan.relay;

import dev.caravan.context.CamelReason;

/** A relay could not start. The message says what failed, why, and what to do. */
public final class RelayStartException extends RuntimeException {
    public RelayStartException(String message) {
        super(message);
    }

    RelayStartException(Throwable cause) {
        super(
                "Could not start the routes: " + CamelReason.of(cause)
                        + ". Nothing is delivered. Correct it and start again",
                cause);
    }
}
