package dev.caravan.engine.store;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.progress.OpenWriters;
import java.time.Duration;

/**
 * Creates a subscription if it does not exist. A subscription that skips earlier messages must not skip messages of transactions
 * that are still open: their ids become its gaps. An id that was drawn before an observation of the writers, and that is not visible
 * after all these writers have ended, never appears. Therefore the creation waits a short time for the writers, and then only the ids
 * drawn since the observation can become gaps. If a writer stays open longer, all missing ids become gaps, because the writer may have
 * drawn any of them. Not thread-safe.
 */
public final class NewSubscription {
    private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

    private final SubscriptionRows rows;
    private final Start start;
    private final Clock clock;

    /** Null before the first observation. */
    private OpenWriters writers;

    private long lastId;
    private long since;

    public NewSubscription(SubscriptionRows rows, Start start, Clock clock) {
        this.rows = rows;
        this.start = start;
        this.clock = clock;
    }

    /** Creates the subscription if it does not exist; returns false if it must be called again soon. */
    public boolean create() {
        boolean waits = false;
        try {
            // checked first, because the statements that create it compute the gaps from the whole outbox
            waits = !rows.exist() && !createIfPossible();
            return !waits;
        } finally {
            if (!waits) {
                writers = null; // after a failure, the next connection may be to another database
            }
        }
    }

    private boolean createIfPossible() {
        if (start.skipsByVisibility()) {
            return createAfterWriters();
        }
        rows.create(start);
        return true;
    }

    /** Whether writers were observed that the creation waits for. The observation is valid in one history of the database only. */
    public boolean isWaiting() {
        return writers != null;
    }

    private boolean createAfterWriters() {
        if (writers == null) {
            writers = new OpenWriters();
            lastId = rows.lastId();
            since = clock.nanos();
        }
        writers.observe(rows.writers());
        if (writers.haveEnded()) {
            rows.create(start, lastId + 1);
            return true;
        }
        if (clock.nanos() - since >= LONGEST_WAIT) {
            rows.create(start, 1);
            return true;
        }
        return false;
    }
}
