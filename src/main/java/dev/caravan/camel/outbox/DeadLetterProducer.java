package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.OutboxConstants;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/**
 * {@code outbox:dead-letter}: marks the message of the exchange as dead. The next save stores the dead letter in one transaction
 * with the progress, so that it is neither lost nor stored twice. If an onException handles an error about an answer from outside, the
 * message is retried instead.
 */
final class DeadLetterProducer extends DefaultProducer {
    static final String NAME = "dead-letter";

    DeadLetterProducer(OutboxEndpoint endpoint) {
        super(endpoint);
    }

    @Override
    public void process(Exchange exchange) {
        Part part = Part.of(exchange);
        if (part == null || part.dead(exchange)) {
            exchange.setProperty(OutboxConstants.DEAD, true); // for tests of routes
        }
        if (part == null) {
            fail(exchange);
        }
    }

    /** Fails the exchange, because it does not contain a message of the outbox. For example, a bean has created it. */
    private static void fail(Exchange exchange) {
        if (Fault.isBeingHandled(exchange)) {
            exchange.getExchangeExtension().setErrorHandlerHandled(false); // the error that is being handled remains
        } else {
            throw new IllegalStateException(
                    "Could not mark a message as dead: the exchange does not contain a message of the outbox");
        }
    }
}
