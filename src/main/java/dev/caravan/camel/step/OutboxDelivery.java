package dev.caravan.camel.step;

import org.apache.camel.Producer;

/**
 * An endpoint of Camel that sends messages of an outbox with guarantees of their own, and everything else as Camel does. Steps that
 * Caravan provides send with these guarantees in every route.
 */
public interface OutboxDelivery {
    /** Creates a producer that sends every exchange as a message of an outbox. */
    Producer createDelivery() throws Exception;
}
