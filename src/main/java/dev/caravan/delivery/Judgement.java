package dev.caravan.delivery;

import java.time.Duration;
import java.util.Optional;

/** Judges what an attempt says about the destination, and whether a failure is the fault of the message. */
final class Judgement {
    private static final int RECOVERIES_UNTIL_BLAMED = 3;
    private static final String EVERYTHING_FAILS = "every message fails, the last one because ";

    private final Order order;
    private final Availability availability;
    /** The last one that says something about a destination that is unavailable. */
    private Failure lastFailure;

    Judgement(Order order, Availability availability) {
        this.order = order;
        this.availability = availability;
    }

    /**
     * Takes note of how an attempt ended; returns what that means for the message.
     *
     * @param earlierRunning at least so many messages that started before this one have not ended
     */
    Result judge(Delivery delivery, Result result, long earlierRunning, long now) {
        boolean wasTesting = availability.isTesting();
        delivery.counted = note(delivery, result, earlierRunning, now);
        return blamed(delivery, result, wasTesting);
    }

    /** Takes note of what an attempt says about the destination; returns whether it counts against the message. */
    private boolean note(Delivery delivery, Result result, long earlierRunning, long now) {
        lastFailure = result.failure() == null ? lastFailure : result.failure();
        Outcome outcome = result.outcome();
        switch (outcome) {
            case UNAVAILABLE -> {
                delivery.foundUnavailable(availability.recoveries());
                availability.unavailable(now, result.retryAfter());
            }
            case DELIVERED -> availability.answered(now);
            case RETRY, DEAD -> {
                return availability.failed(
                        now,
                        delivery,
                        isEvidence(delivery, outcome),
                        outcome == Outcome.DEAD,
                        result.failure().reason(),
                        earlierRunning);
            }
        }
        return false;
    }

    /**
     * Whether a failure may speak against the destination. One that waited behind a failed message of its key does so only if it
     * would be dead at once; in order {@code strict} a failure is the message's own.
     */
    private boolean isEvidence(Delivery delivery, Outcome outcome) {
        return order != Order.strict && !delivery.failedBefore() && (!delivery.isStored() || outcome == Outcome.DEAD);
    }

    /**
     * What the attempt means for the message. While the destination may be to blame, a message that has not failed before stays
     * in the schedule, until it has failed as a test; for others it counts as an attempt, but nothing is dead at once. One that
     * keeps finding away what others get through to is at fault itself.
     */
    private Result blamed(Delivery delivery, Result result, boolean wasTesting) {
        if (result.outcome() == Outcome.DELIVERED) {
            return result;
        }
        if (result.outcome() == Outcome.UNAVAILABLE) {
            delivery.counted = availability.recoveries() - delivery.recoveriesAtFirstOutage >= RECOVERIES_UNTIL_BLAMED;
            return delivery.counted ? Result.retry(result.failure()) : result;
        }
        if (!delivery.counted) {
            delivery.spared |= delivery.isTest;
            delivery.recoveriesAtLastFailure = availability.recoveries();
            return Result.unavailable(result.failure(), Duration.ZERO);
        }
        return wasTesting ? Result.retry(result.failure()) : result;
    }

    /** Since when and why the destination is away; empty while it is not. */
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
