package dev.caravan.lane;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Proves that missing ids will never appear. An insert takes its lock on the outbox before it draws an id and keeps it until
 * its transaction has ended, and a commit is visible before its locks are released. So the transactions that hold the lock
 * <em>after</em> the read that showed an id missing are the only ones that can still fill it; once all of them are gone, a
 * later read decides. No I/O; one thread at a time.
 */
final class Settling {
    /** Ids found missing together, and the writers that may still fill them; writers are unknown until first observed. */
    private record Suspects(IdRanges ids, long since, OpenWriters writers) {}

    private final List<Suspects> waiting = new ArrayList<>();
    private final List<Suspects> verifying = new ArrayList<>();

    /** Ids that a read just showed to be missing, at a time on any clock. */
    void suspect(IdRanges ids, long now) {
        if (!ids.isEmpty()) {
            waiting.add(new Suspects(ids, now, new OpenWriters()));
        }
    }

    /** Since when the first of some ids has been suspected; empty if none of them is. */
    OptionalLong oldest(IdRanges missing) {
        return Stream.concat(waiting.stream(), verifying.stream())
                .filter(suspects -> suspects.ids.intersects(missing))
                .mapToLong(suspects -> suspects.since)
                .reduce((first, second) -> first - second < 0 ? first : second);
    }

    /** Whether the writers should be looked up now. */
    boolean needsWriters() {
        return !waiting.isEmpty();
    }

    /** The writers at a moment after every read so far. */
    void observe(Writers now) {
        waiting.forEach(suspects -> suspects.writers.observe(now));
    }

    /** A read is about to start: it decides about the suspects that nobody can fill any more. */
    void readStarts() {
        waiting.removeIf(suspects -> suspects.writers.areGone() && verifying.add(suspects));
    }

    /**
     * The read has ended and what it found is taken.
     *
     * @param coveredTo the read would have shown every visible id up to here
     * @return the ids among the suspects that are proved never to appear, if they are still missing
     */
    IdRanges readEnded(long coveredTo) {
        IdRanges proved = new IdRanges();
        for (Suspects suspects : verifying) {
            IdRanges covered = suspects.ids.upTo(coveredTo);
            proved.addAll(covered);
            suspects.ids.removeAll(covered);
        }
        verifying.removeIf(suspects -> suspects.ids.isEmpty());
        return proved;
    }
}
