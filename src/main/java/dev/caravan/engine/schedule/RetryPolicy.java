package dev.caravan.engine.schedule;

import java.time.Duration;

/**
 * When a failed message is retried, and when it becomes a dead letter.
 *
 * @param maxAttempts number of failed attempts after which it is dead
 * @param maxAge time since its first failure after which a failure makes it dead
 * @param backoff the delay between attempts
 * @param onDead what happens to later messages of the key of a dead letter
 */
public record RetryPolicy(int maxAttempts, Duration maxAge, Backoff backoff, OnDead onDead) {

    /** Whether a message has reached the limit of its attempts or of its age. */
    public boolean isExhausted(int failedAttempts, Duration failingFor) {
        return failedAttempts >= maxAttempts || failingFor.compareTo(maxAge) >= 0;
    }
}
