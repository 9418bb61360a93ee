package dev.caravan.delivery;

import java.time.Duration;

/**
 * How one attempt ended.
 *
 * @param failure why, or null if it was delivered
 * @param retryAfter how long the destination asked to be left alone; zero if it said nothing, at most a day
 */
public record Result(Outcome outcome, Failure failure, Duration retryAfter) {
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofDays(1);

    public Result {
        if (retryAfter.isNegative()) {
            retryAfter = Duration.ZERO;
        } else if (retryAfter.compareTo(LONGEST_RETRY_AFTER) > 0) {
            retryAfter = LONGEST_RETRY_AFTER; // a clock in nanoseconds overflows after 292 years
        }
    }

    public static final Result DELIVERED = new Result(Outcome.DELIVERED, null, Duration.ZERO);

    public static Result retry(Failure failure) {
        return new Result(Outcome.RETRY, failure, Duration.ZERO);
    }

    public static Result dead(Failure failure) {
        return new Result(Outcome.DEAD, failure, Duration.ZERO);
    }

    public static Result unavailable(Failure failure, Duration retryAfter) {
        return new Result(Outcome.UNAVAILABLE, failure, retryAfter);
    }
}
