package dev.caravan.camel;

import jakarta.mail.MessagingException;

/**
 * A mail that can never be sent as it is. The text contains no address.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class InvalidMailException extends MessagingException {
    public InvalidMailException(String text) {
        super(text);
    }
}
