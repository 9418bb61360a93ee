package dev.caravan.email;

import jakarta.mail.MessagingException;

/** A mail that can never be sent as it is. The text contains no address. */
public final class InvalidMailException extends MessagingException {
    InvalidMailException(String text) {
        super(text);
    }
}
