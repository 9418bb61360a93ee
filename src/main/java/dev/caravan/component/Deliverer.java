package dev.caravan.component;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Result;
import dev.caravan.lane.Lane;
import java.io.IOException;
import java.time.Duration;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.support.DefaultConsumer;

/**
 * Sends the messages of a lane through the route, one exchange each, until the lane is closed. Runs on a thread of its own,
 * outside any exchange, so that Camel runs the route at once and not after something else.
 */
final class Deliverer implements Runnable {
    private final Lane lane;
    private final DefaultConsumer consumer;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final Tracing tracing;
    private final String subscription;
    private final Envelope envelope;
    private final Duration maxRetryAfter;

    Deliverer(Lane lane, OutboxConsumer consumer, AsyncProcessor route, AttemptLog attempts, IgnoredHeaders ignored) {
        this.lane = lane;
        this.consumer = consumer;
        this.route = route;
        this.attempts = attempts;
        this.tracing = consumer.getEndpoint().getComponent().tracing();
        this.subscription = consumer.getEndpoint().getName();
        this.envelope = new Envelope(subscription, ignored);
        this.maxRetryAfter = Duration.ofMillis(consumer.getEndpoint().getMaxRetryAfter());
    }

    @Override
    public void run() {
        try {
            for (Delivery delivery = lane.next(); delivery != null; delivery = lane.next()) {
                deliver(delivery);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void deliver(Delivery delivery) throws InterruptedException {
        Attempt attempt = new Attempt(delivery, consumer.createExchange(false));
        try {
            attempt.begin();
            if (lane.awaitLease()) {
                route.process(attempt.exchange, attempt);
            } else {
                consumer.releaseExchange(attempt.exchange, false); // whoever holds the lane now delivers it
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            attempt.exchange.setException(e);
            attempt.done(true);
        }
    }

    /** One attempt; {@link #done} may be called from any thread, and counts once. */
    private final class Attempt implements AsyncCallback {
        private final Delivery delivery;
        private final Exchange exchange;
        private final Part whole;
        private Tracing.Attempt traced = result -> {};
        private boolean ended;

        private Attempt(Delivery delivery, Exchange exchange) {
            this.delivery = delivery;
            this.exchange = exchange;
            this.whole = Part.begin(exchange);
        }

        private void begin() throws IOException {
            Message in = exchange.getMessage();
            try {
                envelope.fill(exchange, delivery);
            } finally {
                traced = tracing.begin(subscription, delivery, in); // headers that cannot be read fail the attempt too
            }
        }

        @Override
        public void done(boolean doneSync) {
            synchronized (this) {
                if (ended) {
                    return;
                }
                ended = true;
            }
            Fault fault = whole.fault(exchange);
            Result result = AttemptResult.of(fault, delivery.message().payload(), maxRetryAfter);
            Throwable error = fault == null ? null : fault.error();
            consumer.releaseExchange(exchange, false);
            traced.ended(result); // before others may start the next attempt
            lane.finished(delivery, result);
            attempts.ended(delivery, result, error, lane.destinationIsAway());
        }
    }
}
