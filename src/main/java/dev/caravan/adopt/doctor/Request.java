package dev.caravan.adopt.doctor;

import java.util.Optional;

/**
 * A request for an examination.
 *
 * @param table name, quoted as in a statement or not quoted; empty for {@code outbox}
 * @param pending condition that is true for a pending message, as SQL; empty to detect it
 * @param order column by which messages are published; empty to detect it
 */
public record Request(Optional<String> table, Optional<String> pending, Optional<String> order) {
    /** The request is refused. The message says why, and what to change. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    public Request {
        if (pending.filter(condition -> condition.contains(";")).isPresent()) {
            throw new Refused(
                    "--pending must be one condition without a semicolon, for example \"status = 'pending'\".");
        }
    }
}
