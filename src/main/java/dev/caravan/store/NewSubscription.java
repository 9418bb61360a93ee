package dev.caravan.store;

import dev.caravan.clock.Clock;
import dev.caravan.progress.OpenWriters;
import java.time.Duration;

/**
 * Creates a subscription that does not exist. One that skips what was written before must not skip what open transactions have
 * written and not committed: their ids become its gaps. An id that was drawn before a look at the writers, and that is still not
 * visible when all whom the look showed have ended, never appears. So it waits a moment for them, and needs to look at the
 * latest ids only. If one of them stays open, all missing ids that there are become gaps: it was open when all of them were
 * drawn, for all that is known. Used by one thread at a time.
 */
public final class NewSubscription {
    private static final long PATIENCE = Duration.ofSeconds(1).toNanos();

    private final SubscriptionStore store;
    private final Start start;
    private final Clock clock;

    /** Null before the first look. */
    private OpenWriters writers;

    private long lastId;
    private long since;

    public NewSubscription(SubscriptionStore store, Start start, Clock clock) {
        this.store = store;
        this.start = start;
        this.clock = clock;
    }

    /** Creates it if it does not exist; false if this has to be asked again soon. */
    public boolean create() {
        if (store.isSubscribed()) {
            return true; // the statements that create one compute its gaps first, from the whole outbox
        }
        if (!start.skipsByVisibility()) {
            store.subscribe(start);
            return true;
        }
        try {
            return createWhenKnown();
        } catch (RuntimeException e) {
            writers = null; // the database may be another one the next time
            throw e;
        }
    }

    private boolean createWhenKnown() {
        if (writers == null) {
            writers = new OpenWriters();
            lastId = store.lastId();
            since = clock.nanos();
        }
        writers.observe(store.writers());
        if (writers.haveEnded()) {
            store.subscribe(start, lastId + 1);
            return true;
        }
        if (clock.nanos() - since >= PATIENCE) {
            store.subscribe(start, 1);
            return true;
        }
        return false;
    }
}
