package dev.caravan.camel.guard;

import org.apache.camel.Exchange;

/**
 * Makes an idempotentConsumer store the ids of delivered messages only. Camel's implementation stores the id of each exchange that
 * completes without an exception, even if it is marked for rollback or as dead, or a part of it has failed: the next attempt would be
 * skipped as a repeat, and the message lost. Also does not store the id of a message of a batch that is sent again after a failed one of
 * its key, to restore their order.
 */
final class OnlyDelivered implements Around {
    private static final AtEnd FAIL_AT_COMPLETION = new AtEnd(
            exchange -> {
                Part part = Part.of(exchange);
                if (part != null && !part.isFinished(exchange)) {
                    exchange.getExchangeExtension().setFailureHandled(true);
                }
            },
            true);

    @Override
    public Runnable begin(Exchange exchange) {
        exchange.getExchangeExtension().addOnCompletion(FAIL_AT_COMPLETION);
        return NOTHING;
    }
}
