package dev.caravan.camel;

import java.io.IOException;

/**
 * A destination did not answer a message that was sent to it, in whole or in part, so it may have accepted it. It has no cause: error handlers
 * treat exceptions of sockets as an unavailable destination, for which no attempt counts.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class NoAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    /** @param reason a text of the network without content of the message, such as {@code Read timed out} */
    public NoAnswerException(String reason, Throwable failure) {
        super("no answer: " + reason + ". The receiver may have accepted the message");
        addSuppressed(failure);
    }
}
