package dev.caravan.camel.outbox;

import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Fault;
import java.util.Collections;
import java.util.List;

/**
 * Why the messages of an exchange that has ended were not delivered.
 *
 * @param each the fault of each message; null for the delivered ones
 * @param together the fault of the exchange, if it is not known which of its messages caused it; null otherwise
 */
record Faults(List<Fault> each, Fault together) {
    /**
     * @param whole the fault of the exchange; null if there is none
     * @param batch its messages; null if it has a message and not a list, or if the list could not be created
     */
    static Faults of(Fault whole, MessageBatch batch, int messages) {
        List<Fault> each = batch == null ? Collections.nCopies(messages, null) : batch.faults();
        if (each.size() == 1) {
            return new Faults(Collections.singletonList(Fault.decisive(each.get(0), whole)), null);
        }
        return new Faults(each, each.contains(null) ? whole : null);
    }
}
