package dev.caravan.delivery;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long a failed message waits for its next attempt: four times as long after each failure, from the first delay up to
 * the longest (1 s, 4 s … make ten attempts within about a day). Each is shortened by up to a quarter at random, so that
 * messages that failed together do not come back together.
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

    /**
     * The wait after a failure.
     *
     * @param failures how many attempts have failed so far, 1 or more
     */
    public Duration after(int failures) {
        long factor = 1L << 2 * Math.min(failures - 1, 15);
        long capped = Math.min(first.toMillis() * factor, longest.toMillis());
        return Duration.ofMillis(capped - random.nextLong(capped / 4 + 1));
    }
}
