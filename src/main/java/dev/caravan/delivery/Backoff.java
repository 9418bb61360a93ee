package dev.caravan.delivery;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a failed message waits for its next attempt: doubling from the first delay up to the longest, each shortened by
 * up to a quarter at random so that messages that failed together do not come back together.
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

    /**
     * The wait after a failure.
     *
     * @param failures how many attempts have failed so far, 1 or more
     */
    public Duration after(int failures) {
        long doubled = first.toMillis() << Math.min(failures - 1, 20);
        long capped = Math.min(Math.max(doubled, first.toMillis()), longest.toMillis());
        return Duration.ofMillis(capped - random.nextLong(capped / 4 + 1));
    }
}
