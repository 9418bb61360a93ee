package dev.caravan.sms;

/** A text is not a single phone number. The error handling of the routes refers to this class. */
public final class InvalidNumberException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidNumberException(String message) {
        super(message);
    }
}
