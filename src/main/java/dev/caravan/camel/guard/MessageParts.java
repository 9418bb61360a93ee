package dev.caravan.camel.guard;

import dev.caravan.base.text.Causes;
import java.util.ArrayList;
import java.util.List;

/** Counts the ended parts of one step, and collects the errors of parts with a message of a batch, which fail only that message. */
final class MessageParts {
    private int ended;
    private List<Throwable> errors = List.of();
    private Fault thrown;

    /** Counts a part without a message of a batch. */
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
            thrown = Fault.decisive(thrown, fault);
        }
    }

    /** The fault thrown by these parts; null if there is none. */
    Fault thrown() {
        return thrown;
    }

    /**
     * Whether all parts of the step had a message of a batch and have ended, and an error comes from one of them.
     *
     * @param parts number of parts that the step has created
     */
    boolean areCauseOf(Throwable error, int parts) {
        return ended == parts && Causes.of(error).anyMatch(errors::contains);
    }
}
