package dev.caravan.relay.postgres;

/** The Postgres of the relay could not be started. The message says why and what to do. Exit code 1. */
public final class EmbeddedServerException extends RuntimeException {
    EmbeddedServerException(String message) {
        super(message);
    }
}
