package dev.caravan.camel;

/**
 * A text is not a single phone number. The error handling of the routes refers to this class.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class InvalidNumberException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidNumberException(String message) {
        super(message);
    }
}
