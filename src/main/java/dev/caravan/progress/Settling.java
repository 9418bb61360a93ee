package dev.caravan.progress;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Proves that missing ids will never appear. An insert takes its lock on the outbox before it draws an id and keeps it until
 * its transaction has ended, and a commit is visible before its locks are released. So the transactions that hold the lock
 * <em>after</em> the read that showed an id missing are the only ones that can still fill it; once all of them are gone, a
 * later read decides. One that stood still all the time since before the id was drawn cannot fill it either. Ids that wait for
 * the same transactions are kept together, so that few sets remain however many ids wait. Ids that have waited for long are left
 * out of the reads for as long as those for whom they wait are known to be open. No I/O; one thread at a time.
 */
public final class Settling {
    /**
     * Missing ids, since when the first of them was, and the writers that may still fill them.
     *
     * @param lookedUp the last read that has started looks them up, and none but these writers could fill them by then
     */
    private record Suspects(IdRanges ids, long since, OpenWriters writers, boolean lookedUp) {
        private Suspects with(Suspects others) {
            IdRanges more = ids.size() >= others.ids.size() ? ids : others.ids;
            more.addAll(more == ids ? others.ids : ids);
            return new Suspects(
                    more, since - others.since < 0 ? since : others.since, writers, lookedUp && others.lookedUp);
        }

        /** Those that a read has covered; they leave this set. */
        private Suspects takeUpTo(long coveredTo) {
            IdRanges covered = ids.upTo(coveredTo);
            ids.removeAll(covered);
            return new Suspects(covered, since, writers.copy(), lookedUp);
        }

        private Suspects lookedUp(boolean now) {
            return now == lookedUp ? this : new Suspects(ids, since, writers, now);
        }
    }

    private final long leftOutAfter;
    private List<Suspects> waiting = new ArrayList<>();
    private List<Suspects> leftOut = new ArrayList<>();
    private final List<Suspects> verifying = new ArrayList<>();
    private final IdleWriters idle = new IdleWriters();

    /** @param leftOutAfter for how long ids have to be missing before reads leave them out, on the clock of the other methods */
    public Settling(long leftOutAfter) {
        this.leftOutAfter = leftOutAfter;
    }

    /** Ids that a read just showed to be missing, at a time on any clock. */
    public void suspect(IdRanges ids, long now) {
        if (!ids.isEmpty()) {
            waiting.add(new Suspects(new IdRanges(ids), now, new OpenWriters(), false));
        }
    }

    /** A read has shown a message with an id that was missing. */
    public void appeared(long id) {
        waiting.removeIf(suspects -> suspects.ids.remove(id) && suspects.ids.isEmpty());
        verifying.removeIf(suspects -> suspects.ids.remove(id) && suspects.ids.isEmpty());
    }

    /** Since when an id has been missing, at most: ids that wait for the same writers count as long as the first of them. */
    public OptionalLong oldest() {
        return Stream.of(waiting, leftOut, verifying)
                .flatMap(List::stream)
                .mapToLong(Suspects::since)
                .reduce((first, second) -> first - second < 0 ? first : second);
    }

    /** How many sets of ids wait for different writers. */
    int sets() {
        return waiting.size() + leftOut.size();
    }

    /** Whether the writers should be looked up now. */
    public boolean needsWriters() {
        return !waiting.isEmpty() || !leftOut.isEmpty();
    }

    /**
     * The writers at a moment after every read so far.
     *
     * @return ids that were left out and have to be looked up again
     */
    public IdRanges observe(Writers now) {
        idle.observe(now);
        IdRanges again = new IdRanges();
        Map<OpenWriters, Suspects> together = new HashMap<>();
        List<Suspects> stillLeftOut = new ArrayList<>();
        for (Suspects suspects : waiting) {
            boolean others = suspects.writers.observe(now);
            excludeIdle(suspects.lookedUp(suspects.lookedUp && !others), together);
        }
        for (Suspects suspects : leftOut) {
            if (!suspects.writers.observe(now) && !hasIdle(suspects)) {
                stillLeftOut.add(suspects);
            } else {
                again.addAll(suspects.ids);
                excludeIdle(suspects.lookedUp(false), together);
            }
        }
        waiting = new ArrayList<>(together.values());
        leftOut = stillLeftOut;
        return again;
    }

    private boolean hasIdle(Suspects suspects) {
        return suspects.writers.left().stream().anyMatch(writer -> idle.drewUpTo(writer) < suspects.ids.highest());
    }

    /** Puts the ids apart that a writer cannot have drawn because it stood still. */
    private void excludeIdle(Suspects suspects, Map<OpenWriters, Suspects> together) {
        for (Writer writer : suspects.writers.left()) {
            long drewUpTo = idle.drewUpTo(writer);
            if (drewUpTo < suspects.ids.highest()) {
                IdRanges older = suspects.ids.upTo(drewUpTo);
                suspects.ids.removeAll(older);
                OpenWriters others = suspects.writers.without(writer);
                excludeIdle(new Suspects(suspects.ids, suspects.since, others, false), together);
                if (!older.isEmpty()) {
                    excludeIdle(new Suspects(older, suspects.since, suspects.writers, suspects.lookedUp), together);
                }
                return;
            }
        }
        together.merge(suspects.writers, suspects, Suspects::with);
    }

    /** A read is about to start: it decides about the suspects that nobody can fill any more. */
    public void readStarts() {
        waiting.removeIf(suspects -> suspects.writers.areGone() && verifying.add(suspects));
        waiting.replaceAll(suspects -> suspects.lookedUp(suspects.writers.areKnown()));
    }

    /**
     * The read has ended and what it found is taken.
     *
     * @param coveredTo the read would have shown every visible id up to here
     * @return the ids among the suspects that are proved never to appear, if they are still missing
     */
    public IdRanges readEnded(long coveredTo) {
        IdRanges proved = new IdRanges();
        for (Suspects suspects : verifying) {
            IdRanges covered = suspects.ids.upTo(coveredTo);
            proved.addAll(covered);
            suspects.ids.removeAll(covered);
        }
        verifying.removeIf(suspects -> suspects.ids.isEmpty());
        return proved;
    }

    /**
     * After the end of a read: ids that it has looked up and that have been missing for long are left out of the next ones. Whom they
     * wait for is open: nothing that it has written can be seen, and no other transaction can fill them.
     *
     * @param coveredTo the read would have shown every visible id up to here
     * @return the ids that are left out from now on
     */
    public IdRanges leaveOut(long coveredTo, long now) {
        IdRanges more = new IdRanges();
        if (waiting.isEmpty()) {
            return more;
        }
        Map<OpenWriters, Suspects> together = new HashMap<>();
        waiting.removeIf(suspects -> {
            if (!suspects.lookedUp || now - suspects.since < leftOutAfter || !suspects.writers.haveTransactionIds()) {
                return false;
            }
            Suspects covered = suspects.takeUpTo(coveredTo);
            if (!covered.ids.isEmpty()) {
                more.addAll(covered.ids);
                together.merge(covered.writers, covered, Suspects::with);
            }
            return suspects.ids.isEmpty();
        });
        if (!more.isEmpty()) {
            leftOut.forEach(suspects -> together.merge(suspects.writers, suspects, Suspects::with));
            leftOut = new ArrayList<>(together.values());
        }
        return more;
    }

    /** The transactions for whose ids is not looked. */
    public Set<Long> openTransactions() {
        if (leftOut.isEmpty()) {
            return Set.of();
        }
        Set<Long> ids = new HashSet<>();
        leftOut.forEach(suspects -> suspects.writers.left().forEach(writer -> ids.add(writer.transactionId())));
        return ids;
    }

    /**
     * A read was outdated: some of those that are waited for had ended before it.
     *
     * @param transactionIds which ones: what they have written can be seen from now on
     * @return the ids that were left out for one of them and have to be looked up again
     */
    public IdRanges ended(Set<Long> transactionIds) {
        waiting.replaceAll(suspects -> suspects.writers.ended(transactionIds) ? suspects.lookedUp(false) : suspects);
        IdRanges again = new IdRanges();
        leftOut.removeIf(suspects -> {
            boolean ended = suspects.writers.ended(transactionIds);
            if (ended) {
                again.addAll(suspects.ids);
                waiting.add(suspects.lookedUp(false));
            }
            return ended;
        });
        return again;
    }
}
