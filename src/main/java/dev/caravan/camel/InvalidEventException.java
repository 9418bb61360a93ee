package dev.caravan.camel;

/**
 * A message that can never be sent as an event. The error handling of the routes refers to this class.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class InvalidEventException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public InvalidEventException(String message) {
        super(message);
    }
}
