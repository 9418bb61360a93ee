package dev.caravan.camel.guard;

import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.Ordered;
import org.apache.camel.Processor;
import org.apache.camel.support.SynchronizationAdapter;
import org.apache.camel.support.processor.DelegateAsyncProcessor;

/**
 * Makes an idempotentConsumer store the ids of delivered messages only. Camel's implementation stores the id of each exchange that
 * completes without an exception, even if it is marked for rollback or as dead, or a part of it has failed: the next attempt would be
 * skipped as a repeat, and the message lost. Also does not store the id of a message of a batch that is sent again after a failed one of
 * its key, to restore their order.
 */
final class OnlyDelivered extends DelegateAsyncProcessor {
    /** Runs before the completion of the idempotentConsumer. */
    private static final SynchronizationAdapter FAIL_AT_COMPLETION = new SynchronizationAdapter() {
        @Override
        public void onDone(Exchange exchange) {
            Part part = Part.of(exchange);
            if (part != null && !part.isFinished(exchange)) {
                exchange.getExchangeExtension().setFailureHandled(true);
            }
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST;
        }
    };

    /** @param step an idempotentConsumer */
    OnlyDelivered(Processor step) {
        super(step);
    }

    @Override
    public boolean process(Exchange exchange, AsyncCallback callback) {
        exchange.getExchangeExtension().addOnCompletion(FAIL_AT_COMPLETION);
        return super.process(exchange, callback);
    }
}
