package dev.caravan.cloudevents;

/** A message that can never be sent as an event. The error handling of the routes refers to this class. */
public final class InvalidEventException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidEventException(String message) {
        super(message);
    }
}
