package dev.caravan.relay;

/** A relay that could not start; the message says what, why and what to do. */
public final class RelayStartException extends RuntimeException {
    public RelayStartException(String message) {
        super(message);
    }

    RelayStartException(Throwable cause) {
        super(
                "Could not start the routes: " + reason(cause) + ". Nothing is delivered; correct it and start again",
                cause);
    }

    /** Camel wraps what went wrong in the endpoint in several layers; the innermost says it. */
    private static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
    }
}
