package dev.caravan.progress;

import java.util.HashSet;
import java.util.Set;

/**
 * The transactions that held the lock of an insert on the outbox at the first look, as long as one of them does. Only these can
 * still fill an id that was drawn before that look and that no read has shown since. Two are equal when they wait for the same
 * ones. No I/O; one thread at a time.
 */
public final class OpenWriters {
    private boolean observed;
    private Set<Writer> left = new HashSet<>();

    /**
     * Takes in who holds the lock now.
     *
     * @return whether they are others than before
     */
    public boolean observe(Writers now) {
        if (!observed) {
            observed = true;
            left.addAll(now.open());
            return true;
        }
        if (now.open().containsAll(left)) {
            return false;
        }
        Set<Writer> stillLeft = new HashSet<>();
        left.forEach(writer -> stillLeft.addAll(now.now(writer)));
        left = stillLeft;
        return true;
    }

    /**
     * Takes in that transactions have ended.
     *
     * @return whether one of them was waited for
     */
    boolean ended(Set<Long> transactionIds) {
        return left.removeIf(writer -> transactionIds.contains(writer.transactionId()));
    }

    /** Whether there was a look. */
    boolean areKnown() {
        return observed;
    }

    /** Whether all who are left have written something. */
    boolean haveTransactionIds() {
        return left.stream().allMatch(Writer::hasTransactionId);
    }

    /** Whether there was a look, and all whom it showed have ended. */
    public boolean areGone() {
        return observed && left.isEmpty();
    }

    /** Those that are left; read only. */
    Set<Writer> left() {
        return left;
    }

    /** Those that are left without one of them. */
    OpenWriters without(Writer writer) {
        OpenWriters others = copy();
        others.left.remove(writer);
        return others;
    }

    OpenWriters copy() {
        OpenWriters same = new OpenWriters();
        same.observed = observed;
        same.left.addAll(left);
        return same;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenWriters writers && observed == writers.observed && left.equals(writers.left);
    }

    @Override
    public int hashCode() {
        return left.hashCode();
    }
}
