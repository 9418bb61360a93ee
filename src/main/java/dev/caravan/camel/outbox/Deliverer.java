package dev.caravan.camel.outbox;

import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.RetryPolicy;
import java.util.List;
import org.apache.camel.AsyncProcessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of a lane through the route, one exchange for each message or batch, until no message may start. Each runs on its
 * own thread, outside any exchange, so that Camel runs the route immediately.
 */
final class Deliverer {
    private static final Logger LOG = LoggerFactory.getLogger(Deliverer.class);

    final Lane lane;
    final OutboxConsumer consumer;
    final AsyncProcessor route;
    final AttemptLog log;
    final String subscription;
    final boolean isBatching;
    final Envelope envelope;
    final Tracing tracing;
    final RetryPolicy retry;
    final SettingSecrets secrets;

    Deliverer(Lane lane, OutboxConsumer consumer, AsyncProcessor route, AttemptLog log) {
        this.lane = lane;
        this.consumer = consumer;
        this.route = route;
        this.log = log;
        OutboxEndpoint endpoint = consumer.getEndpoint();
        subscription = endpoint.getName();
        isBatching = endpoint.getBatches().isBatching();
        envelope = new Envelope(subscription, endpoint.ignoredHeaders());
        tracing = endpoint.getComponent().tracing();
        retry = endpoint.settings().retry();
        secrets = SettingSecrets.of(endpoint.getCamelContext());
    }

    void run() {
        try {
            for (List<Delivery> next = lane.next(); !next.isEmpty(); next = lane.next()) {
                new Attempt(this, next).begin();
                Thread.interrupted(); // a step may have left the flag set: the next wait would close the lane
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeLane(e);
        } catch (Throwable e) { // otherwise the lane would deliver nothing more, without an error
            closeLane(e);
        }
    }

    /**
     * Closes the lane, because a delivery thread has failed or the state of the lane may be wrong. The lane is claimed again and
     * continues from its last save.
     */
    void closeLane(Throwable reason) {
        if (!lane.isClosed()) {
            lane.close();
            LOG.error(
                    "Subscription {} stops one of its lanes, because a delivery thread failed with {}. The lane is claimed again"
                            + " when its lease expires; messages in flight may be delivered again",
                    subscription,
                    reason.getClass().getName(),
                    reason);
        }
    }
}
