package dev.caravan.routes.tryout;

/** The routes could not be started, or a message could not be processed by one. */
public final class DryRunException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DryRunException(String message) {
        super(message);
    }

    DryRunException(String message, Throwable cause) {
        super(message, cause);
    }
}
