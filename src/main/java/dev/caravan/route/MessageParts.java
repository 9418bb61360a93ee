package dev.caravan.route;

import dev.caravan.text.Causes;
import java.util.ArrayList;
import java.util.List;

/** The ended parts of one step, and what those with a message of a batch have thrown: it failed only that message. */
final class MessageParts {
    private int ended;
    private List<Throwable> errors = List.of();
    private Fault thrown;

    /** Counts a part of another kind. */
    void otherEnded() {
        ended++;
    }

    /**
     * Counts a part with a message of a batch.
     *
     * @param fault why it failed; null if it did not
     * @param error what it has thrown; null if it did not fail, or if the route has handled its failure
     */
    void ended(Fault fault, Throwable error) {
        ended++;
        if (error != null) {
            errors = errors.isEmpty() ? new ArrayList<>() : errors;
            errors.add(error);
            thrown = Fault.worse(thrown, fault);
        }
    }

    /** The fault thrown by these parts; null if there is none. */
    Fault thrown() {
        return thrown;
    }

    /**
     * Whether all parts have ended and an exception comes from one of these.
     *
     * @param parts number of parts that the step has created
     */
    boolean explain(Throwable error, int parts) {
        return ended == parts && Causes.of(error).anyMatch(errors::contains);
    }
}
