package dev.caravan.engine.progress;

import java.util.HashSet;
import java.util.Set;

/**
 * The transactions that held the insert lock on the outbox at the first observation and have not ended since. Only these can still
 * fill an id that was drawn before that observation and that no read has returned since. Two instances are equal if they contain the
 * same transactions. No I/O; not thread-safe.
 */
public final class OpenWriters {
    private boolean observed;
    private Set<Writer> open = new HashSet<>();

    /**
     * Records the transactions that hold the lock now. The first call sets the transactions to wait for; later calls remove those
     * that have ended.
     *
     * @return whether the transactions to wait for have changed
     */
    public boolean observe(Writers now) {
        if (!observed) {
            observed = true;
            open.addAll(now.open());
            return true;
        }
        if (now.open().containsAll(open)) {
            return false;
        }
        Set<Writer> stillOpen = new HashSet<>();
        open.forEach(writer -> stillOpen.addAll(now.possible(writer)));
        open = stillOpen;
        return true;
    }

    /**
     * Removes transactions that have ended.
     *
     * @return whether one of them was contained
     */
    boolean ended(Set<Long> transactionIds) {
        return open.removeIf(writer -> transactionIds.contains(writer.transactionId()));
    }

    /** Whether there was an observation. */
    boolean areKnown() {
        return observed;
    }

    /** Whether all open transactions have a transaction id, that is, have written something. */
    boolean haveTransactionIds() {
        return open.stream().allMatch(Writer::hasTransactionId);
    }

    /** Whether there was an observation, and all its transactions have ended. */
    public boolean haveEnded() {
        return observed && open.isEmpty();
    }

    /** The transactions that have not ended; do not modify. */
    Set<Writer> open() {
        return open;
    }

    /** A copy without one of the transactions. */
    OpenWriters without(Writer writer) {
        OpenWriters others = copy();
        others.open.remove(writer);
        return others;
    }

    OpenWriters copy() {
        OpenWriters same = new OpenWriters();
        same.observed = observed;
        same.open.addAll(open);
        return same;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenWriters writers && observed == writers.observed && open.equals(writers.open);
    }

    @Override
    public int hashCode() {
        return open.hashCode();
    }
}
