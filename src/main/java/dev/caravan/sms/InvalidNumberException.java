package dev.caravan.sms;

/** A text that is not one phone number. A class of its own, as the error handling of routes names it. */
public final class InvalidNumberException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    InvalidNumberException(String message) {
        super(message);
    }
}
