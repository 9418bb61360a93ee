package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import org.apache.camel.AsyncProcessor;

/** Delivers the messages of a lane through its route, on threads of the relay that have the name of the lane meanwhile. */
final class Deliverers {
    private final OutboxConsumer consumer;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final String name;

    Deliverers(OutboxConsumer consumer, AsyncProcessor route, AttemptLog attempts, String name) {
        this.consumer = consumer;
        this.route = route;
        this.attempts = attempts;
        this.name = name;
    }

    /** Delivers the messages of a lane until it is closed. */
    void deliver(Lane lane) {
        threads().deliver(lane, name, () -> new Deliverer(lane, consumer, route, attempts).run());
    }

    /** Runs another task on one of these threads. */
    void execute(Runnable task) {
        threads().execute(name, task);
    }

    private RelayThreads threads() {
        return consumer.getEndpoint().getComponent().threads();
    }
}
