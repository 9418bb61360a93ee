package dev.caravan.camel.outbox;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.ShortText;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Logs failed attempts: each one at DEBUG, a WARN at most every 10 s, and outages of the destination, at most one every 10 s. */
final class AttemptLog {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptLog.class);
    private static final long QUIET_NANOS = 10_000_000_000L;

    private final String subscription;
    private final Clock clock;
    private volatile boolean unavailable;
    /** Whether the log says that the destination is unavailable. */
    private volatile boolean reported;

    private int outages;
    private volatile int refuted;
    private long failures;
    private long quietUntil;
    private long badQuietUntil;
    private long outageQuietUntil;

    AttemptLog(String subscription, Clock clock) {
        this.subscription = subscription;
        this.clock = clock;
        this.quietUntil = clock.nanos();
        this.badQuietUntil = quietUntil;
        this.outageQuietUntil = quietUntil;
    }

    /**
     * @param destinationIsUnavailable whether the destination is considered unavailable after this attempt
     * @param refutedSuspicions how many suspicions that the destination is unavailable have been refuted so far
     */
    void ended(Delivery delivery, Result result, boolean destinationIsUnavailable, int refutedSuspicions) {
        if (result.outcome() != Outcome.DELIVERED) {
            about(delivery, () -> failed(delivery, result));
        }
        availability(destinationIsUnavailable, result);
        if (refuted != refutedSuspicions) {
            messagesAreBad(refutedSuspicions);
        }
    }

    /** Logs a batch that failed as a whole. The message that caused this is logged when it has failed alone. */
    void batchFailed(int messages, Result result, boolean destinationIsUnavailable) {
        LOG.debug(
                "Could not deliver a batch of {} messages to {}: {}. They are sent again in batches of half the size. {}",
                messages,
                subscription,
                result.failure().reason(),
                result.failure().stack());
        availability(destinationIsUnavailable, result);
    }

    private synchronized void messagesAreBad(int refutedSuspicions) {
        boolean isNew = refutedSuspicions > refuted;
        refuted = refutedSuspicions;
        long now = clock.nanos();
        if (isNew && now - badQuietUntil >= 0) {
            LOG.warn(
                    "Many messages in a row could not be delivered to {}, but its destination accepts others: the messages are bad,"
                            + " and the destination is available. They are retried, and become dead letters after their last"
                            + " attempt",
                    subscription);
            badQuietUntil = now + QUIET_NANOS;
        }
    }

    /** Whether the stack trace of every failure is logged. */
    boolean showsStacks() {
        return LOG.isDebugEnabled();
    }

    private void availability(boolean destinationIsUnavailable, Result result) {
        if (unavailable != destinationIsUnavailable || reported != destinationIsUnavailable) {
            changed(destinationIsUnavailable, result);
        }
    }

    /**
     * A destination that limits the rate changes several times in a second. What lasts is logged: there may be no further attempt before the
     * delay that the destination has requested.
     */
    private synchronized void changed(boolean destinationIsUnavailable, Result result) {
        if (destinationIsUnavailable && !unavailable) {
            outages++;
        }
        unavailable = destinationIsUnavailable;
        long now = clock.nanos();
        if (!unavailable && reported) {
            reported = false;
            LOG.info("The destination of {} is available again", subscription);
        } else if (unavailable
                && !reported
                && result.failure() != null
                && now + result.retryAfter().toNanos() - outageQuietUntil >= 0) {
            reported = true;
            LOG.warn(
                    "The destination of {} is unavailable. Last error: {}. Its messages wait; a few at a time are sent as a probe{}",
                    subscription,
                    result.failure().reason(),
                    outages == 1
                            ? ""
                            : ". It was unavailable " + outages
                                    + " times since the last warning: if it limits the rate, set the option rate");
            outages = 0;
            outageQuietUntil = now + QUIET_NANOS;
        }
    }

    private synchronized void failed(Delivery delivery, Result result) {
        LOG.debug(
                "Attempt {} to deliver message {} (key {}) to {} failed: {}",
                delivery.attempt(),
                delivery.message().id(),
                ShortText.of(delivery.message().key().toString()),
                subscription,
                result.failure().stack()); // not the error itself: its text may quote the message
        if (result.outcome() == Outcome.RETRY) {
            retry(delivery, result);
        } // outages are logged by availability(), dead letters by the route dead-letter
    }

    /**
     * Logs an attempt that failed after its lane was released, for example because the stop of the relay has closed the connection. Its
     * result counts for nothing, and the next holder of the lane delivers the message.
     */
    void endedTooLate(Delivery delivery, Result result) {
        if (result.outcome() != Outcome.DELIVERED) {
            about(
                    delivery,
                    () -> LOG.info(
                            "Message {} (messageId={} key={}) of {} was not delivered before its lane was released: {}. Nothing was"
                                    + " stored; it is delivered again by the next holder of the lane",
                            delivery.message().id(),
                            delivery.message().messageId(),
                            ShortText.of(delivery.message().key().toString()),
                            subscription,
                            result.failure().reason()));
        }
    }

    /** Logs with the subscription and the message id in the MDC, for a log in JSON. */
    private void about(Delivery delivery, Runnable log) {
        try (var ofSubscription = MDC.putCloseable("subscription", subscription);
                var ofMessage = MDC.putCloseable(
                        "messageId", delivery.message().messageId().toString())) {
            log.run();
        }
    }

    private void retry(Delivery delivery, Result result) {
        failures++;
        long now = clock.nanos();
        if (now - quietUntil >= 0) {
            LOG.warn(
                    "Could not deliver message {} (messageId={} key={}) to {}: {}. Attempt {}; it is retried later."
                            + " Failures since the last warning: {}",
                    delivery.message().id(),
                    delivery.message().messageId(),
                    ShortText.of(delivery.message().key().toString()),
                    subscription,
                    result.failure().reason(),
                    delivery.attempt(),
                    failures);
            failures = 0;
            quietUntil = now + QUIET_NANOS;
        }
    }
}
