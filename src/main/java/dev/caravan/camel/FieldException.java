package dev.caravan.camel;

/**
 * A message lacks a field, or a field has an unexpected type. The message names the field and never contains its value. The error
 * handling of the routes refers to this class: such a message is dead at once.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class FieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public FieldException(String message) {
        super(message);
    }
}
