package dev.caravan.engine.schedule;

import java.time.Duration;

/**
 * The result of one attempt.
 *
 * @param failure why it failed; null if the message was delivered
 * @param retryAfter the delay that the destination requested; zero if it requested none, at most a day
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
