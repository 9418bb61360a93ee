package dev.caravan.lab.history;

/** A promise that a history has broken. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String text) {
        super(text);
    }
}
