package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.RetryPolicy;
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
                endpoint.settings().retry());
    }
}
