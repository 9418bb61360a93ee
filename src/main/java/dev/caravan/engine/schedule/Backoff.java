package dev.caravan.engine.schedule;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with jitter: the delay before the next attempt of a failed message. It grows by a factor of four with each
 * failure, from {@code first} to {@code longest} (with a first delay of 1 s, ten attempts take about a day). Each delay is
 * shortened by up to a quarter at random, so that messages that failed together are not retried together.
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

    /**
     * The delay after a failure.
     *
     * @param failures number of failed attempts, at least 1
     */
    public Duration after(int failures) {
        long factor = 1L << 2 * Math.min(failures - 1, 15);
        long capped = Math.min(first.toMillis() * factor, longest.toMillis());
        return Duration.ofMillis(capped - random.nextLong(capped / 4 + 1));
    }
}
