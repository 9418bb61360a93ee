package dev.caravan.delivery;

import java.time.Duration;

/**
 * When a message that fails is tried again, and when no more.
 *
 * @param maxAttempts dead when so many attempts have failed
 * @param maxAge dead when it fails so long after its first failure
 * @param backoff the wait between attempts
 * @param onDead what happens to the later messages of its key
 */
public record RetryPolicy(int maxAttempts, Duration maxAge, Backoff backoff, OnDead onDead) {

    /** Whether a message is not to be tried again. */
    public boolean isExhausted(int failedAttempts, Duration failingFor) {
        return failedAttempts >= maxAttempts || failingFor.compareTo(maxAge) >= 0;
    }
}
