package dev.caravan.camel;

/**
 * A message lacks a field, a field has an unexpected type, or there is no template for the type of the message. The message names the
 * field or the file and never contains a value of the payload. The error handling of the routes refers to this class: such a message is
 * dead at once, unless the field is one of an answer from outside.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class FieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public FieldException(String message) {
        super(message);
    }
}
