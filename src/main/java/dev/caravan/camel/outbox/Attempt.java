package dev.caravan.camel.outbox;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.MessageBatch;
import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.guard.Part;
import dev.caravan.engine.lane.Lane;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt to deliver a message, or a batch of messages, with one exchange through the route. {@link #done} may be called on any
 * thread; only the first call counts. Every exception fails the attempt.
 *
 * <p>Each message of a batch that failed on its own has its own result. If the exchange failed, it is not known for which message, so all
 * are sent again in smaller batches, until the message that fails is alone.
 */
final class Attempt implements AsyncCallback {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final Failure LEASE_ENDED =
            new Failure("", "The lease ended before the message was sent", "", "", "the lease ended");

    private final Deliverer deliverer;
    private final Lane lane;
    private final List<Delivery> deliveries;
    private boolean ended;
    private Exchange exchange;
    private Part whole;
    /** Null if the exchange has one message and not a list. */
    private MessageBatch batch;

    private List<Tracing.Attempt> traced = List.of();

    Attempt(Deliverer deliverer, List<Delivery> deliveries) {
        this.deliverer = deliverer;
        this.lane = deliverer.lane;
        this.deliveries = deliveries;
    }

    void begin() throws InterruptedException {
        if (!first().isSelected()) { // it is the only one of a batch, as is one that is too large
            failed(notSelected());
            return;
        }
        if (first().message().isTooLarge()) {
            failed(tooLarge(first().message().leftOut()));
            return;
        }
        try {
            exchange = deliverer.consumer.createExchange(false);
            whole = Part.begin(
                    exchange, first().edit(), deliverer.consumer.getEndpoint().mayEndEarly());
            fill();
            running(this::step);
            if (lane.awaitLease()) {
                deliverer.route.process(exchange, this);
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

    private Delivery first() {
        return deliveries.get(0);
    }

    private Result notSelected() {
        String text = "The type of the message is no longer selected by types="
                + deliverer.consumer.getEndpoint().getSubscription().getTypes()
                + ", so the message was not sent. Add its type to types and retry the message, or discard it";
        return Result.dead(new Failure("TypeNotSelected", text, "", "", text));
    }

    private Result tooLarge(long bytes) {
        int most = deliverer.consumer.getEndpoint().getLimits().getMaxMessageBytes();
        String text = bytes > most
                ? "The message has " + bytes + " bytes, more than maxMessageBytes (" + most + "), and was not read"
                : "The headers of the message have " + bytes + " bytes, more than 1 MB, and were not read";
        return Result.dead(new Failure("MessageTooLarge", text, "", "", text));
    }

    /** Fills the exchange with what is sent, and begins the traces. */
    private void fill() throws IOException {
        if (deliverer.isBatching) {
            batch = deliverer.envelope.batch(exchange, deliveries);
            if (deliverer.tracing != Tracing.OFF) {
                traced = new ArrayList<>();
                for (int i = 0; i < deliveries.size(); i++) {
                    traced.add(deliverer.tracing.begin(deliverer.subscription, deliveries.get(i), batch.get(i)));
                }
            }
            return;
        }
        try {
            deliverer.envelope.fill(exchange, first());
        } finally {
            // even if the headers are invalid, which fails the attempt
            traced = List.of(deliverer.tracing.begin(deliverer.subscription, first(), exchange.getMessage()));
        }
    }

    private void running(Supplier<String> step) {
        deliveries.forEach(delivery -> delivery.running(step));
    }

    /** May be called on any thread while the route processes the exchange. */
    private String step() {
        return AttemptResult.step(exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class));
    }

    /** Ends the attempt without sending, because the lane is closed. The next owner of the lane delivers its messages. */
    private void drop() {
        endTraces(Collections.nCopies(deliveries.size(), Result.retry(LEASE_ENDED)));
        release();
    }

    private void failed(Throwable error) {
        if (exchange != null) {
            exchange.setException(error);
            if (error instanceof FieldException) { // of its headers, before the error handling of the route
                whole.dead(exchange);
            }
            done(true);
        } else if (endsNow()) {
            failed(AttemptResult.unknown(error));
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
        running(null);
        Faults faults = null;
        Throwable broken = null;
        try {
            faults = Faults.of(whole.fault(exchange), batch, deliveries.size());
        } catch (Throwable e) {
            broken = e;
        }
        if (broken != null) {
            failed(AttemptResult.unknown(broken));
        } else if (faults.together() != null) {
            failTogether(AttemptResult.of(faults.together(), null, deliverer.secrets, false));
        } else {
            List<Result> results = new ArrayList<>(deliveries.size());
            for (int i = 0; i < deliveries.size(); i++) {
                results.add(result(faults.each().get(i), deliveries.get(i)));
            }
            finish(results);
        }
        release();
    }

    /** The result for a message. It has a stack trace if the message may become a dead letter, or if stack traces are logged. */
    private Result result(Fault fault, Delivery delivery) {
        if (fault == null) {
            return Result.DELIVERED;
        }
        try {
            boolean mayBeLast = deliverer.retry.isExhausted(delivery.failedAttempts() + 1, delivery.failingFor());
            return AttemptResult.of(
                    fault, delivery.message(), deliverer.secrets, mayBeLast || deliverer.log.showsStacks());
        } catch (Throwable e) {
            return AttemptResult.unknown(e);
        }
    }

    /** Records an attempt whose end could not be determined, or that did not begin. */
    private void failed(Result result) {
        if (deliveries.size() == 1) {
            finish(List.of(result));
        } else {
            failTogether(result);
        }
    }

    private void finish(List<Result> results) {
        endTraces(results); // before another thread may start the next attempt
        boolean tooLate = lane.isClosed();
        recordEnd(() -> {
            if (deliverer.isBatching) {
                lane.finished(deliveries, results);
            } else {
                lane.finished(first(), results.get(0));
            }
        });
        report(() -> log(results, tooLate));
    }

    private void log(List<Result> results, boolean tooLate) {
        boolean isUnavailable = lane.destinationIsUnavailable();
        int refuted = lane.refutedSuspicions();
        for (int i = 0; i < results.size(); i++) {
            if (tooLate) {
                deliverer.log.endedTooLate(deliveries.get(i), results.get(i));
            } else {
                deliverer.log.ended(deliveries.get(i), results.get(i), isUnavailable, refuted);
            }
        }
    }

    private void failTogether(Result result) {
        endTraces(Collections.nCopies(deliveries.size(), result));
        recordEnd(() -> lane.failedTogether(deliveries, result));
        report(() -> deliverer.log.batchFailed(deliveries.size(), result, lane.destinationIsUnavailable()));
    }

    /** Records the end of the attempt in the lane; closes the lane if this fails. */
    private void recordEnd(Runnable finished) {
        try {
            finished.run();
        } catch (Throwable e) {
            deliverer.closeLane(e);
        }
    }

    /** There are fewer traces than messages if they could not be begun. */
    private void endTraces(List<Result> results) {
        for (int i = 0; i < traced.size(); i++) {
            Tracing.Attempt attempt = traced.get(i);
            Result result = results.get(i);
            report(() -> attempt.ended(result));
        }
    }

    private void release() {
        report(() -> {
            if (exchange != null) {
                deliverer.consumer.releaseExchange(exchange, false);
            }
        });
    }

    /** Runs tracing, logging or the release of the exchange, whose exceptions must not change the result of the attempt. */
    private void report(Runnable report) {
        try {
            report.run();
        } catch (Throwable e) {
            LOG.warn(
                    "Could not report the end of an attempt to deliver message {} to {}: {}",
                    first().message().id(),
                    deliverer.subscription,
                    e.getClass().getName());
        }
    }
}
