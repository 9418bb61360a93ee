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
    private final Set<String> running = new HashSet<>();
    private final Set<String> prepared = new HashSet<>();

    /**
     * Takes in who holds the lock now.
     *
     * @return whether they are others than before
     */
    public boolean observe(Writers now) {
        if (!observed) {
            observed = true;
            running.addAll(now.running());
            prepared.addAll(now.prepared());
            return true;
        }
        boolean changed = prepared.retainAll(now.prepared());
        if (running.retainAll(now.running())) {
            // One that is gone may be prepared now: wait for every prepared one, as none tells who it was.
            prepared.addAll(now.prepared());
            changed = true;
        }
        return changed;
    }

    /** Whether there was a look. */
    boolean areKnown() {
        return observed;
    }

    /** Whether there was a look, and all whom it showed have ended. */
    public boolean areGone() {
        return observed && running.isEmpty() && prepared.isEmpty();
    }

    /** The names of those that are left. */
    Set<String> names() {
        Set<String> names = new HashSet<>(running);
        names.addAll(prepared);
        return names;
    }

    /** Those that are left without one of them. */
    OpenWriters without(String writer) {
        OpenWriters others = new OpenWriters();
        others.observed = observed;
        others.running.addAll(running);
        others.prepared.addAll(prepared);
        others.running.remove(writer);
        others.prepared.remove(writer);
        return others;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OpenWriters writers
                && observed == writers.observed
                && running.equals(writers.running)
                && prepared.equals(writers.prepared);
    }

    @Override
    public int hashCode() {
        return running.hashCode() + 31 * prepared.hashCode();
    }
}
