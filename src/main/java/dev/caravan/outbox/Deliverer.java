package dev.caravan.outbox;

import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.lane.Lane;
import dev.caravan.route.Fault;
import dev.caravan.route.Part;
import java.io.IOException;
import org.apache.camel.AsyncCallback;
import org.apache.camel.AsyncProcessor;
import org.apache.camel.Exchange;
import org.apache.camel.support.DefaultConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the messages of a lane through the route, one exchange each, until the lane is closed. Runs on a thread of its own,
 * outside any exchange, so that Camel runs the route at once and not after something else.
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
            giveUp(e);
        } catch (Throwable e) { // nobody else would notice, and the lane would deliver nothing more
            giveUp(e);
        }
    }

    /** A lane of which a thread or the state is lost ends: another one begins where its last save was. */
    private void giveUp(Throwable reason) {
        if (!lane.isClosed()) {
            lane.close();
            LOG.error(
                    "Subscription {} stops working a lane, because delivering ended with {}. It is taken again when its lease"
                            + " ends; what was on its way may be delivered again",
                    subscription,
                    reason.getClass().getName(),
                    reason);
        }
    }

    /** One attempt; {@link #done} may be called from any thread, and counts once. Whatever fails in it fails the attempt. */
    private final class Attempt implements AsyncCallback {
        private final Delivery delivery;
        private boolean ended;
        private Exchange exchange;
        private Part whole;
        private Tracing.Attempt traced = result -> {};

        private Attempt(Delivery delivery) {
            this.delivery = delivery;
        }

        /** Whether a failure of this attempt can make the message a dead letter, which keeps the stack trace. */
        private boolean mayBeLast() {
            return retry.isExhausted(delivery.failedAttempts() + 1, delivery.failingFor());
        }

        private void begin() throws InterruptedException {
            try {
                exchange = consumer.createExchange(false);
                whole = Part.begin(exchange);
                fill();
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
                // headers that cannot be read fail the attempt too
                traced = tracing.begin(subscription, delivery, exchange.getMessage());
            }
        }

        /** The lane is closed: whoever holds it now delivers the message. */
        private void drop() {
            endTrace(Result.retry(LEASE_ENDED));
            release();
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
                result = AttemptResult.of(fault, delivery.message().payload(), stackIsKept);
            } catch (Throwable e) {
                result = AttemptResult.unknown(e);
            }
            end(result, error);
        }

        private void end(Result result, Throwable error) {
            endTrace(result); // before others may start the next attempt
            try {
                lane.finished(delivery, result);
            } catch (Throwable e) {
                giveUp(e);
            }
            log(result, error);
            release();
        }

        // What only watches must not change what became of the message.

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
