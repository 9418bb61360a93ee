package dev.caravan.lane;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Proves that missing ids will never appear. An insert takes its lock on the outbox before it draws an id and keeps it until
 * its transaction has ended, and a commit is visible before its locks are released. So the transactions that hold the lock
 * <em>after</em> the read that showed an id missing are the only ones that can still fill it; once all of them are gone, a
 * later read decides. One that stood still all the time since before the id was drawn cannot fill it either. Ids that wait for
 * the same transactions are kept together, so that few sets remain however many ids wait. No I/O; one thread at a time.
 */
final class Settling {
    /** Missing ids, since when the first of them was, and the writers that may still fill them. */
    private record Suspects(IdRanges ids, long since, OpenWriters writers) {
        private Suspects with(Suspects others) {
            IdRanges more = ids.size() >= others.ids.size() ? ids : others.ids;
            more.addAll(more == ids ? others.ids : ids);
            return new Suspects(more, since - others.since < 0 ? since : others.since, writers);
        }
    }

    private List<Suspects> waiting = new ArrayList<>();
    private final List<Suspects> verifying = new ArrayList<>();
    private final IdleWriters idle = new IdleWriters();

    /** Ids that a read just showed to be missing, at a time on any clock. */
    void suspect(IdRanges ids, long now) {
        if (!ids.isEmpty()) {
            waiting.add(new Suspects(new IdRanges(ids), now, new OpenWriters()));
        }
    }

    /** A read has shown a message with an id that was missing. */
    void appeared(long id) {
        waiting.removeIf(suspects -> suspects.ids.remove(id) && suspects.ids.isEmpty());
        verifying.removeIf(suspects -> suspects.ids.remove(id) && suspects.ids.isEmpty());
    }

    /** Since when an id has been missing, at most: ids that wait for the same writers count as long as the first of them. */
    OptionalLong oldest() {
        return Stream.concat(waiting.stream(), verifying.stream())
                .mapToLong(Suspects::since)
                .reduce((first, second) -> first - second < 0 ? first : second);
    }

    /** How many sets of ids wait for different writers. */
    int sets() {
        return waiting.size();
    }

    /** Whether the writers should be looked up now. */
    boolean needsWriters() {
        return !waiting.isEmpty();
    }

    /** The writers at a moment after every read so far. */
    void observe(Writers now) {
        idle.observe(now);
        Map<OpenWriters, Suspects> together = new HashMap<>();
        for (Suspects suspects : waiting) {
            suspects.writers.observe(now);
            excludeIdle(suspects, together);
        }
        waiting = new ArrayList<>(together.values());
    }

    /** Puts the ids apart that a writer cannot have drawn because it stood still. */
    private void excludeIdle(Suspects suspects, Map<OpenWriters, Suspects> together) {
        for (String writer : suspects.writers.names()) {
            long drewUpTo = idle.drewUpTo(writer);
            if (drewUpTo < suspects.ids.highest()) {
                IdRanges older = suspects.ids.upTo(drewUpTo);
                suspects.ids.removeAll(older);
                excludeIdle(new Suspects(suspects.ids, suspects.since, suspects.writers.without(writer)), together);
                if (!older.isEmpty()) {
                    excludeIdle(new Suspects(older, suspects.since, suspects.writers), together);
                }
                return;
            }
        }
        together.merge(suspects.writers, suspects, Suspects::with);
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
