package dev.caravan.lab.history;

/** Thrown in the code of a relay at a statement, to end it there as a kill does. */
final class Crashed extends Error {
    private static final long serialVersionUID = 1;

    Crashed() {
        super("the relay was killed", null, false, false);
    }
}
