package dev.caravan.loop;

import dev.caravan.store.RetryStore;

/**
 * Walks over the keys that have messages in {@code outbox_retry}, some with each step and again from the first after the last,
 * and lets those go on that wait for nothing. Saves leave none behind; changes by other means may: an older version, another
 * {@code onDead}, a statement of a person.
 */
public final class KeyWalk {
    /** Costs some milliseconds a second, and a million keys take a quarter of an hour. */
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
