package dev.caravan.camel.outbox;

import dev.caravan.camel.guard.Fault;
import dev.caravan.camel.guard.Part;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import dev.caravan.engine.schedule.RunningAttempt;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One exchange through the route. {@link #done} may be called on any thread; only the first call counts. Every exception fails the
 * attempt.
 */
abstract class Attempt implements AsyncCallback, RunningAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final Failure LEASE_ENDED =
            new Failure("", "The lease ended before the message was sent", "", "", "the lease ended");

    final LaneRoute lane;
    private boolean ended;
    private Exchange exchange;
    private Part whole;

    Attempt(LaneRoute lane) {
        this.lane = lane;
    }

    /** Fills the exchange with what is sent, and begins the traces. */
    abstract void fill(Exchange newExchange) throws Exception;

    /** Sets the running attempt of its messages; null when it has ended. */
    abstract void running(RunningAttempt attempt);

    /** Records the end of the exchange. @param fault why it was not delivered; null if it was */
    abstract void ended(Fault fault);

    /** Records an attempt whose end could not be determined. */
    abstract void failed(Result unknown, Throwable error);

    /** Ends the traces of its messages with the same result. */
    abstract void endTraces(Result result);

    final void begin() throws InterruptedException {
        if (first().message().isTooLarge()) { // it is the only one of a batch
            failed(tooLarge(first().message().leftOut()), null);
            return;
        }
        try {
            exchange = lane.consumer().createExchange(false);
            whole = Part.begin(exchange, lane.consumer().getEndpoint().mayEndEarly());
            fill(exchange);
            running(this);
            if (lane.lane().awaitLease()) {
                lane.route().process(exchange, this);
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

    private Result tooLarge(long bytes) {
        String text = "The message has " + bytes + " bytes, more than maxMessageBytes ("
                + lane.consumer().getEndpoint().getLimits().getMaxMessageBytes() + "), and was not read";
        return Result.dead(new Failure("MessageTooLarge", text, "", "", text));
    }

    /** Ends the attempt without sending, because the lane is closed. The next owner of the lane delivers its messages. */
    private void drop() {
        endTraces(Result.retry(LEASE_ENDED));
        release();
    }

    /** May be called on any thread while the route processes the exchange. */
    @Override
    public final String step() {
        return AttemptResult.step(exchange.getProperty(ExchangePropertyKey.TO_ENDPOINT, String.class));
    }

    private void failed(Throwable error) {
        if (exchange != null) {
            exchange.setException(error);
            done(true);
        } else if (endsNow()) {
            failed(AttemptResult.unknown(error), error);
        }
    }

    private synchronized boolean endsNow() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    @Override
    public final void done(boolean doneSync) {
        if (!endsNow()) {
            return;
        }
        running(null);
        Fault fault = null;
        Throwable broken = null;
        try {
            fault = whole.fault(exchange);
        } catch (Throwable e) {
            broken = e;
        }
        if (broken == null) {
            ended(fault);
        } else {
            failed(AttemptResult.unknown(broken), null);
        }
        release();
    }

    /** Records the end of the attempt in the lane; closes the lane if this fails. */
    final void recordEnd(Runnable finished) {
        try {
            finished.run();
        } catch (Throwable e) {
            Deliverer.closeLane(lane, e);
        }
    }

    /** The result for a message. It has a stack trace if the message may become a dead letter, or if stack traces are logged. */
    final Result result(Fault fault, Delivery delivery) {
        if (fault == null) {
            return Result.DELIVERED;
        }
        try {
            boolean withStack = mayBeLast(delivery) || lane.log().showsStacks();
            return AttemptResult.of(fault, delivery.message().body(), withStack);
        } catch (Throwable e) {
            return AttemptResult.unknown(e);
        }
    }

    private boolean mayBeLast(Delivery delivery) {
        return lane.retry().isExhausted(delivery.failedAttempts() + 1, delivery.failingFor());
    }

    // An exception in tracing, logging or release must not change the result of the attempt.

    final void report(Runnable report) {
        try {
            report.run();
        } catch (Throwable e) {
            couldNotReport(e);
        }
    }

    private void release() {
        try {
            if (exchange != null) {
                lane.consumer().releaseExchange(exchange, false);
            }
        } catch (Throwable e) {
            couldNotReport(e);
        }
    }

    /** The first message, for the log. */
    abstract Delivery first();

    private void couldNotReport(Throwable reason) {
        LOG.warn(
                "Could not report the end of an attempt to deliver message {} to {}: {}",
                first().message().id(),
                lane.subscription(),
                reason.getClass().getName());
    }
}
