package dev.caravan.engine.schedule;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Decides what an attempt shows about the destination, and whether a failure counts against the message. */
final class Judgement {
    private static final int RECOVERIES_UNTIL_COUNTED = 3;
    private static final String EVERYTHING_FAILS = "every message fails, the last one because ";

    private final Order order;
    private final Availability availability;
    /** The last failure of any message: the reason of an outage. */
    private Failure lastFailure;

    Judgement(Order order, Availability availability) {
        this.order = order;
        this.availability = availability;
    }

    /**
     * Records the result of an attempt; returns the result that counts for the message.
     *
     * @param earlierRunning lower bound of the attempts that started before this one and are still running
     */
    Result judge(Delivery delivery, Result result, long earlierRunning, long now) {
        if (delivery.isNotSent()) {
            availability.notSent(delivery);
            delivery.counted = true;
            return result;
        }
        boolean wasTesting = availability.isTesting();
        delivery.counted = note(delivery, result, earlierRunning, now);
        return resultForMessage(delivery, result, wasTesting);
    }

    /**
     * Records that a batch failed as a whole. It does not count as an attempt of its messages: either the destination is
     * unavailable, or one of them is the cause, and it is not known which.
     */
    void judgeTogether(List<Delivery> batch, Result result, long now) {
        lastFailure = result.failure();
        if (result.outcome() == Outcome.UNAVAILABLE) {
            availability.unavailable(now, retryAfter(batch, result));
        } else {
            availability.failedTogether(batch.get(0).startNumber);
        }
    }

    /** Records what an attempt shows about the destination; returns whether it counts against the message. */
    private boolean note(Delivery delivery, Result result, long earlierRunning, long now) {
        lastFailure = result.failure() == null ? lastFailure : result.failure();
        Outcome outcome = result.outcome();
        switch (outcome) {
            case UNAVAILABLE -> availability.unavailable(now, retryAfter(List.of(delivery), result));
            case DELIVERED -> availability.delivered(now, delivery.isRepeat);
            case RETRY, DEAD -> {
                return availability.failed(
                        now,
                        delivery,
                        isEvidence(delivery, outcome),
                        outcome == Outcome.DEAD,
                        result.failure(),
                        earlierRunning);
            }
        }
        return false;
    }

    /**
     * The delay that the destination requested. Messages that may be the cause do not stop all others for longer than an outage without such a
     * delay would: those that failed before, or that found the destination unavailable before others were delivered.
     */
    private Duration retryAfter(List<Delivery> messages, Result result) {
        boolean areCause = messages.stream()
                .anyMatch(each -> each.failedBefore() || each.recoveriesAtFirstStop < availability.recoveries());
        messages.forEach(
                each -> each.recoveriesAtFirstStop = Math.min(each.recoveriesAtFirstStop, availability.recoveries()));
        boolean isLonger = result.retryAfter().compareTo(Availability.LONGEST_PROBE) > 0;
        return areCause && isLonger ? Availability.LONGEST_PROBE : result.retryAfter();
    }

    /**
     * Whether a failure may indicate an outage. For a message that waited behind a failed message of its key this holds only if
     * the destination rejected it; in order {@code strict}, and if another message of its batch was delivered, each failure is
     * assigned to the message.
     */
    private boolean isEvidence(Delivery delivery, Outcome outcome) {
        return order != Order.strict
                && !delivery.batchPartlyDelivered
                && !delivery.failedBefore()
                && (!delivery.isStored() || outcome == Outcome.DEAD);
    }

    /**
     * The result that counts for the message. While the destination may be the cause, a message that has not failed before
     * remains in the schedule until it has failed as a test. For other messages the failure counts as an attempt, but none
     * becomes a dead letter at once. If the receiver may have accepted the message, the next failure counts, whether it is a test or not.
     * If attempts of a message repeatedly fail with the destination while others are delivered, the message is the cause.
     */
    private Result resultForMessage(Delivery delivery, Result result, boolean wasTesting) {
        if (result.outcome() == Outcome.DELIVERED) {
            return result;
        }
        boolean foundUnavailable = result.outcome() == Outcome.UNAVAILABLE;
        delivery.nextFailureCounts |=
                !foundUnavailable && (delivery.isTest || !result.failure().isAnswered());
        if (!delivery.counted) {
            long recoveries = availability.recoveries();
            delivery.failedInOutage(recoveries);
            delivery.counted = (foundUnavailable || !delivery.isTest)
                    && recoveries - delivery.recoveriesAtFirstOutage >= RECOVERIES_UNTIL_COUNTED;
        }
        if (!delivery.counted) {
            return Result.unavailable(result.failure(), Duration.ZERO);
        }
        return wasTesting || foundUnavailable ? Result.retry(result.failure()) : result;
    }

    /** The current outage of the destination; empty while it is available. */
    Optional<Outage> outage(long now) {
        if (!availability.isUnavailable()) {
            return Optional.empty();
        }
        return Optional.of(new Outage(
                Duration.ofNanos(now - availability.unavailableSince()),
                availability.isInferred() ? EVERYTHING_FAILS + lastFailure.reason() : lastFailure.reason(),
                Duration.ofNanos(availability.untilNextProbe(now))));
    }
}
