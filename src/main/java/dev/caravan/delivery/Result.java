package dev.caravan.delivery;

import java.time.Duration;

/**
 * How one attempt ended.
 *
 * @param failure why, or null if it was delivered
 * @param retryAfter how long the destination asked to be left alone; zero if it said nothing
 */
public record Result(Outcome outcome, Failure failure, Duration retryAfter) {
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
