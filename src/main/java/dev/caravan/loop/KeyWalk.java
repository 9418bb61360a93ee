package dev.caravan.loop;

import dev.caravan.store.RetryStore;

/**
 * Iterates over the keys in {@code outbox_retry}, a few per step, and starts again after the last key. Blocked messages that wait
 * for nothing become due. Saves never leave such messages, but an older version, a changed {@code onDead} or a manual statement
 * may. Messages that failed before the clock of the database was set back do not wait for the time that was skipped.
 */
public final class KeyWalk {
    /** Keys per step. One step per second takes some milliseconds; a million keys take about an hour. */
    private static final int KEYS = 250;

    private static final long FIRST = Long.MIN_VALUE;

    private final RetryStore retries;
    private long next = FIRST;

    KeyWalk(RetryStore retries) {
        this.retries = retries;
    }

    void step() {
        next = retries.walk(next, KEYS).orElse(FIRST);
    }
}
