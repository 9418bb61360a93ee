package dev.caravan.camel.guard;

import org.apache.camel.Exchange;
import org.apache.camel.Ordered;
import org.apache.camel.support.SynchronizationAdapter;

/** Runs at the end of a copy of an exchange, before an idempotentConsumer stores the id of its message. */
final class AtEnd extends SynchronizationAdapter {
    private final Runnable task;

    AtEnd(Runnable task) {
        this.task = task;
    }

    @Override
    public void onDone(Exchange exchange) {
        task.run();
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST;
    }

    @Override
    public boolean allowHandover() {
        return false;
    }
}
