package dev.caravan.base.message;

/** A line of input is not a valid message. The exception's message says why. */
public final class BadLine extends Exception {
    public BadLine(String reason) {
        super(reason, null, false, false); // no stack trace: thrown for each line of a large file
    }
}
