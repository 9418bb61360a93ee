package dev.caravan.engine.loop;

import dev.caravan.engine.store.RetryStore;

/**
 * Iterates over the keys in {@code outbox_retry}, a few per step, and starts again after the last key. Blocked messages that no
 * other message blocks become due. Saves leave no such messages, but an older version of Caravan, a changed {@code onDead} or a
 * manual statement can. If the clock of the database was set back, messages that failed before start their wait again.
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
