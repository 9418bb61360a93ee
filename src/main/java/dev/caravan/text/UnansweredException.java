package dev.caravan.text;

import java.io.IOException;

/**
 * The destination has received everything and has not answered, so it may have accepted the message. The failure counts as an attempt:
 * a destination that is slow to answer would otherwise receive the message again and again without an end.
 */
public final class UnansweredException extends IOException {
    /** @param destination for example {@code the mail server} */
    public UnansweredException(String destination, Throwable reason) {
        super(destination + " has received everything and has not answered, so it may have accepted the message");
        addSuppressed(reason); // as a cause, it would be classified
    }
}
