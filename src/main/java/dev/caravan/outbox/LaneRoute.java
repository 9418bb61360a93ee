package dev.caravan.outbox;

import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.Lane;
import org.apache.camel.AsyncProcessor;

/** A lane, and what its attempts use: the route, the log, tracing and the retry policy. */
record LaneRoute(
        Lane lane,
        String subscription,
        OutboxConsumer consumer,
        AsyncProcessor route,
        AttemptLog log,
        Tracing tracing,
        RetryPolicy retry) {

    static LaneRoute of(Lane lane, OutboxConsumer consumer, AsyncProcessor route, AttemptLog log) {
        OutboxEndpoint endpoint = consumer.getEndpoint();
        return new LaneRoute(
                lane,
                endpoint.getName(),
                consumer,
                route,
                log,
                endpoint.getComponent().tracing(),
                endpoint.loopSettings().lane().retry());
    }
}
