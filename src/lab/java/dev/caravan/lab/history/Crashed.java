package dev.caravan.lab.history;

/** Ends the code of a relay at a statement, as a kill does. */
final class Crashed extends Error {
    private static final long serialVersionUID = 1;

    Crashed() {
        super("the relay was killed", null, false, false);
    }
}
