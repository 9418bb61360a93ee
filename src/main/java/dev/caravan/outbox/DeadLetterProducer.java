package dev.caravan.outbox;

import dev.caravan.headers.OutboxConstants;
import dev.caravan.route.ErrorHandlers;
import dev.caravan.route.Part;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultProducer;

/**
 * {@code outbox:dead-letter}: marks the message of the exchange as dead. It is stored with the acknowledgement, in one
 * transaction with the progress, so that it can neither be lost nor be stored twice.
 */
final class DeadLetterProducer extends DefaultProducer {
    static final String NAME = "dead-letter";

    DeadLetterProducer(OutboxEndpoint endpoint) {
        super(endpoint);
    }

    @Override
    public void process(Exchange exchange) {
        exchange.setProperty(OutboxConstants.DEAD, true); // to be seen by tests of routes
        Part part = Part.of(exchange);
        if (part != null) {
            part.dead(exchange);
        } else {
            fail(exchange);
        }
    }

    /** Whoever sent this exchange, a bean for example, must learn that it was not delivered: no message becomes dead by it. */
    private static void fail(Exchange exchange) {
        if (ErrorHandlers.areAtWork(exchange)) {
            exchange.getExchangeExtension().setErrorHandlerHandled(false); // the error that they handle stays
        } else {
            throw new IllegalStateException(
                    "Could not mark a message as dead: the exchange carries no message of the outbox");
        }
    }
}
