package dev.caravan.engine.progress;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Proves that missing ids will never appear. An insert takes its lock on the outbox before it draws an id and holds it until its
 * transaction has ended, and a commit is visible before its locks are released. Therefore only the transactions that hold the lock
 * <em>after</em> the read that did not return an id can still fill it. When all of them have ended, an id that the next read does
 * not return was rolled back. A transaction that has been idle since before the id was drawn cannot fill it either. Ids that wait
 * for the same transactions share one set, which limits the number of sets. Ids that have been missing for long are left out of the
 * reads while the transactions that they wait for are known to be open. No I/O; not thread-safe.
 */
public final class Settling {
    /**
     * Missing ids that wait for the same transactions.
     *
     * @param since when the first of them was found missing
     * @param writers the transactions that may still fill them
     * @param lookedUp whether the last read that was started looks them up, and only these writers could fill them at its start
     */
    private record MissingIds(IdRanges ids, long since, OpenWriters writers, boolean lookedUp) {
        private MissingIds with(MissingIds others) {
            IdRanges more = ids.size() >= others.ids.size() ? ids : others.ids;
            more.addAll(more == ids ? others.ids : ids);
            return new MissingIds(
                    more, since - others.since < 0 ? since : others.since, writers, lookedUp && others.lookedUp);
        }

        /** Moves the ids up to a limit to a new set. */
        private MissingIds takeUpTo(long coveredTo) {
            IdRanges covered = ids.upTo(coveredTo);
            ids.removeAll(covered);
            return new MissingIds(covered, since, writers.copy(), lookedUp);
        }

        private MissingIds lookedUp(boolean now) {
            return now == lookedUp ? this : new MissingIds(ids, since, writers, now);
        }
    }

    private final long leftOutAfter;
    private List<MissingIds> waiting = new ArrayList<>();
    private List<MissingIds> leftOut = new ArrayList<>();
    private final List<MissingIds> verifying = new ArrayList<>();
    private final IdleWriters idle = new IdleWriters();

    /** @param leftOutAfter how long ids must be missing before reads leave them out, in units of the clock of the other methods */
    public Settling(long leftOutAfter) {
        this.leftOutAfter = leftOutAfter;
    }

    /** Adds ids that a read has just found missing. */
    public void suspect(IdRanges ids, long now) {
        if (!ids.isEmpty()) {
            waiting.add(new MissingIds(new IdRanges(ids), now, new OpenWriters(), false));
        }
    }

    /** Removes an id that a read has returned. */
    public void appeared(long id) {
        waiting.removeIf(missing -> missing.ids.remove(id) && missing.ids.isEmpty());
        verifying.removeIf(missing -> missing.ids.remove(id) && missing.ids.isEmpty());
    }

    /**
     * The time at which the oldest missing id was found missing; for all ids of a set, the time of the first one. Empty if no id
     * is missing.
     */
    public OptionalLong oldest() {
        return Stream.of(waiting, leftOut, verifying)
                .flatMap(List::stream)
                .mapToLong(MissingIds::since)
                .reduce((first, second) -> first - second < 0 ? first : second);
    }

    /** Number of sets of ids that wait for different writers. */
    int sets() {
        return waiting.size() + leftOut.size();
    }

    /** Whether missing ids wait for writers, so that {@link #observe} is needed. */
    public boolean needsWriters() {
        return !waiting.isEmpty() || !leftOut.isEmpty();
    }

    /**
     * Records the open writers at a moment after all reads so far.
     *
     * @return ids that were left out and must be looked up again
     */
    public IdRanges observe(Writers now) {
        idle.observe(now);
        IdRanges again = new IdRanges();
        Map<OpenWriters, MissingIds> together = new HashMap<>();
        List<MissingIds> stillLeftOut = new ArrayList<>();
        for (MissingIds missing : waiting) {
            boolean changed = missing.writers.observe(now);
            excludeIdle(missing.lookedUp(missing.lookedUp && !changed), together);
        }
        for (MissingIds missing : leftOut) {
            if (!missing.writers.observe(now) && !hasIdle(missing)) {
                stillLeftOut.add(missing);
            } else {
                again.addAll(missing.ids);
                excludeIdle(missing.lookedUp(false), together);
            }
        }
        waiting = new ArrayList<>(together.values());
        leftOut = stillLeftOut;
        return again;
    }

    private boolean hasIdle(MissingIds missing) {
        return missing.writers.open().stream().anyMatch(writer -> idle.highestDrawn(writer) < missing.ids.highest());
    }

    /** Splits off the ids that a writer cannot have drawn because it was idle. */
    private void excludeIdle(MissingIds missing, Map<OpenWriters, MissingIds> together) {
        for (Writer writer : missing.writers.open()) {
            long highestDrawn = idle.highestDrawn(writer);
            if (highestDrawn < missing.ids.highest()) {
                IdRanges older = missing.ids.upTo(highestDrawn);
                missing.ids.removeAll(older);
                OpenWriters others = missing.writers.without(writer);
                excludeIdle(new MissingIds(missing.ids, missing.since, others, false), together);
                if (!older.isEmpty()) {
                    excludeIdle(new MissingIds(older, missing.since, missing.writers, missing.lookedUp), together);
                }
                return;
            }
        }
        together.merge(missing.writers, missing, MissingIds::with);
    }

    /** Records that a read is about to start. It verifies the ids whose writers have all ended. */
    public void readStarts() {
        waiting.removeIf(missing -> missing.writers.haveEnded() && verifying.add(missing));
        waiting.replaceAll(missing -> missing.lookedUp(missing.writers.areKnown()));
    }

    /**
     * Records that the read has ended and its messages are taken.
     *
     * @param coveredTo the read would have returned every visible id up to this one
     * @return the ids that will never appear, if they are still missing
     */
    public IdRanges readEnded(long coveredTo) {
        IdRanges proved = new IdRanges();
        for (MissingIds missing : verifying) {
            IdRanges covered = missing.ids.upTo(coveredTo);
            proved.addAll(covered);
            missing.ids.removeAll(covered);
        }
        verifying.removeIf(missing -> missing.ids.isEmpty());
        return proved;
    }

    /**
     * Chooses the ids that the next reads leave out: those that the read which has just ended looked up and that have been missing
     * for long. The transactions that they wait for are open, so their rows are not visible, and no other transaction can fill them.
     *
     * @param coveredTo the read would have returned every visible id up to this one
     * @return the ids to leave out in addition
     */
    public IdRanges leaveOut(long coveredTo, long now) {
        IdRanges more = new IdRanges();
        if (waiting.isEmpty()) {
            return more;
        }
        Map<OpenWriters, MissingIds> together = new HashMap<>();
        waiting.removeIf(missing -> {
            if (!missing.lookedUp || now - missing.since < leftOutAfter || !missing.writers.haveTransactionIds()) {
                return false;
            }
            MissingIds covered = missing.takeUpTo(coveredTo);
            if (!covered.ids.isEmpty()) {
                more.addAll(covered.ids);
                together.merge(covered.writers, covered, MissingIds::with);
            }
            return missing.ids.isEmpty();
        });
        if (!more.isEmpty()) {
            leftOut.forEach(missing -> together.merge(missing.writers, missing, MissingIds::with));
            leftOut = new ArrayList<>(together.values());
        }
        return more;
    }

    /** The ids of the transactions whose missing ids are left out. */
    public Set<Long> openTransactions() {
        if (leftOut.isEmpty()) {
            return Set.of();
        }
        Set<Long> ids = new HashSet<>();
        leftOut.forEach(missing -> missing.writers.open().forEach(writer -> ids.add(writer.transactionId())));
        return ids;
    }

    /**
     * Records that a read was outdated: some of the transactions whose missing ids it left out had ended before it.
     *
     * @param transactionIds the ids of these transactions, whose rows are visible now
     * @return the ids that were left out for one of them and must be looked up again
     */
    public IdRanges ended(Set<Long> transactionIds) {
        waiting.replaceAll(missing -> missing.writers.ended(transactionIds) ? missing.lookedUp(false) : missing);
        IdRanges again = new IdRanges();
        leftOut.removeIf(missing -> {
            boolean ended = missing.writers.ended(transactionIds);
            if (ended) {
                again.addAll(missing.ids);
                waiting.add(missing.lookedUp(false));
            }
            return ended;
        });
        return again;
    }
}
