package dev.caravan.outbox;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.delivery.RunningAttempt;
import dev.caravan.lane.Lane;
import dev.caravan.route.Fault;
import dev.caravan.route.Part;
import java.io.IOException;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.support.DefaultConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of a lane through the route, one exchange each, until the lane is closed. Runs on its own thread, outside
 * any exchange, so that Camel runs the route immediately.
 */
final class Deliverer implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Deliverer.class);
    private static final Failure LEASE_ENDED =
            new Failure("", "The lease ended before the message was sent", "", "", "the lease ended");

    private final Lane lane;
    private final DefaultConsumer consumer;
    private final AsyncProcessor route;
    private final AttemptLog attempts;
    private final Tracing tracing;
    private final String subscription;
    private final Envelope envelope;
    private final RetryPolicy retry;

    Deliverer(Lane lane, OutboxConsumer consumer, AsyncProcessor route, AttemptLog attempts, IgnoredHeaders ignored) {
        this.lane = lane;
        this.consumer = consumer;
        this.route = route;
        this.attempts = attempts;
        this.tracing = consumer.getEndpoint().getComponent().tracing();
        this.subscription = consumer.getEndpoint().getName();
        this.envelope = new Envelope(subscription, ignored);
        this.retry = consumer.getEndpoint().loopSettings().lane().retry();
    }

    @Override
    public void run() {
        try {
            for (Delivery delivery = lane.next(); delivery != null; delivery = lane.next()) {
                new Attempt(delivery).begin();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeLane(e);
        } catch (Throwable e) { // otherwise the lane would deliver nothing more, and no one would notice
            closeLane(e);
        }
    }

    /** Closes the lane after a thread or its state is lost. The lane is claimed again and continues from its last save. */
    private void closeLane(Throwable reason) {
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

    /** One attempt. {@link #done} may be called on any thread; only the first call counts. Every exception fails the attempt. */
    private final class Attempt implements AsyncCallback, RunningAttempt {
        private final Delivery delivery;
        private boolean ended;
        private Exchange exchange;
        private Part whole;
        private Tracing.Attempt traced = result -> {};

        private Attempt(Delivery delivery) {
            this.delivery = delivery;
        }

        /** Whether a failure of this attempt can make the message a dead letter. A dead letter includes the stack trace. */
        private boolean mayBeLast() {
            return retry.isExhausted(delivery.failedAttempts() + 1, delivery.failingFor());
        }

        private void begin() throws InterruptedException {
            try {
                exchange = consumer.createExchange(false);
                whole = Part.begin(exchange);
                fill();
                delivery.running(this);
                if (lane.awaitLease()) {
                    route.process(exchange, this);
                } else {
                    drop();
                }
            } catch (InterruptedException e) {
                drop();
                throw e;
            } catch (Throwable e) {
                failed(e);
            }
        }

        private void fill() throws IOException {
            try {
                envelope.fill(exchange, delivery);
            } finally {
                // also if the headers are invalid, which fails the attempt
                traced = tracing.begin(subscription, delivery, exchange.getMessage());
            }
        }

        /** Ends the attempt without sending, because the lane is closed. The next owner of the lane delivers the message. */
        private void drop() {
            endTrace(Result.retry(LEASE_ENDED));
            release();
        }

        /** May be called on any thread while the route is at work. */
        @Override
        public String step() {
            return AttemptResult.step(exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class));
        }

        private void failed(Throwable error) {
            if (exchange != null) {
                exchange.setException(error);
                done(true);
            } else if (endsNow()) {
                end(AttemptResult.unknown(error), error);
            }
        }

        private synchronized boolean endsNow() {
            boolean first = !ended;
            ended = true;
            return first;
        }

        @Override
        public void done(boolean doneSync) {
            if (!endsNow()) {
                return;
            }
            Result result;
            Throwable error = null;
            try {
                Fault fault = whole.fault(exchange);
                error = fault == null ? null : fault.error();
                boolean stackIsKept = fault != null && (mayBeLast() || attempts.showsStacks());
                result = AttemptResult.of(fault, delivery.message().body(), stackIsKept);
            } catch (Throwable e) {
                result = AttemptResult.unknown(e);
            }
            end(result, error);
        }

        private void end(Result result, Throwable error) {
            delivery.running(null);
            endTrace(result); // before others may start the next attempt
            try {
                lane.finished(delivery, result);
            } catch (Throwable e) {
                closeLane(e);
            }
            log(result, error);
            release();
        }

        // An exception in tracing, logging or release must not change the result of the attempt.

        private void endTrace(Result result) {
            try {
                traced.ended(result);
            } catch (Throwable e) {
                couldNotReport(e);
            }
        }

        private void log(Result result, Throwable error) {
            try {
                attempts.ended(delivery, result, error, lane.destinationIsUnavailable(), lane.refutedSuspicions());
            } catch (Throwable e) {
                couldNotReport(e);
            }
        }

        private void release() {
            try {
                if (exchange != null) {
                    consumer.releaseExchange(exchange, false);
                }
            } catch (Throwable e) {
                couldNotReport(e);
            }
        }

        private void couldNotReport(Throwable reason) {
            LOG.warn(
                    "Could not report the end of an attempt to deliver message {} to {}: {}",
                    delivery.message().id(),
                    subscription,
                    reason.getClass().getName());
        }
    }
}
