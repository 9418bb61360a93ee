package dev.caravan.camel.guard;

import java.util.function.Consumer;
import org.apache.camel.Exchange;
import org.apache.camel.Ordered;
import org.apache.camel.support.SynchronizationAdapter;

/** Runs at the end of an exchange, by default before an idempotentConsumer stores the id of its message. */
final class AtEnd extends SynchronizationAdapter {
    private final Consumer<Exchange> task;
    private final boolean isHandedOver;
    private final int order;

    /** @param isHandedOver whether it runs at the end of the exchange that continues this one, and otherwise of this one */
    AtEnd(Consumer<Exchange> task, boolean isHandedOver) {
        this(task, isHandedOver, Ordered.HIGHEST);
    }

    /** @param order its place among what runs at the end, the lowest number first */
    AtEnd(Consumer<Exchange> task, boolean isHandedOver, int order) {
        this.task = task;
        this.isHandedOver = isHandedOver;
        this.order = order;
    }

    @Override
    public void onDone(Exchange exchange) {
        task.accept(exchange);
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public boolean allowHandover() {
        return isHandedOver;
    }
}
