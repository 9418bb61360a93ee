package dev.caravan.json;

/** A line that is not a message; the message says why. */
public final class BadLine extends Exception {
    public BadLine(String reason) {
        super(reason, null, false, false); // one per line of a big file: no stack trace
    }
}
