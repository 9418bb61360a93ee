package dev.caravan.engine.progress;

/**
 * The progress of a lane: the position, which is the highest id read, and the gaps, which are the ids at or below it that are not
 * delivered yet. An id in the gaps is either missing (no read has returned it: an open transaction may still fill it, or it was
 * rolled back) or in flight (read and not finished). Reads leave out missing ids that only transactions known to be open can fill.
 * Every other id at or below the position is delivered or settled. No I/O; not thread-safe.
 */
public final class Progress {
    private static final IdRanges NONE = new IdRanges();

    private long position;
    private final IdRanges missing;
    private final OlderGaps older = new OlderGaps();
    private final IdRanges inFlight = new IdRanges();

    /** Continues from saved progress; ids that were in flight are looked up again. */
    public Progress(SavedProgress saved) {
        position = saved.position();
        missing = new IdRanges(saved.gaps());
    }

    /** The highest id read. */
    public long position() {
        return position;
    }

    /** The missing ids that the next read looks up again; do not modify. */
    public IdRanges missing() {
        return missing;
    }

    /** The missing ids that reads leave out; do not modify. */
    public IdRanges leftOut() {
        return older.all();
    }

    /** Leaves missing ids out of the reads until {@link #lookUpAgain}. */
    public void leaveOut(IdRanges ids) {
        missing.removeAll(ids);
        older.add(ids);
    }

    /** Includes ids that were left out in the next reads. */
    public void lookUpAgain(IdRanges ids) {
        older.remove(ids);
        missing.addAll(ids);
    }

    /**
     * Takes a message that was read; the messages of one read must be passed in ascending order of id.
     *
     * @return the ids between the old position and this id, which are missing now; empty if the id came from a gap; do not modify
     * @throws IllegalStateException if the id was taken before, which would deliver it twice
     */
    public IdRanges take(long id) {
        IdRanges skipped = NONE;
        if (id > position) {
            if (id > position + 1) {
                skipped = IdRanges.of(position + 1, id - 1);
                missing.addAll(skipped);
            }
            position = id;
        } else if (!missing.remove(id)) {
            throw new IllegalStateException("Message " + id + " was read twice: position " + position + ", missing "
                    + missing + ", in flight " + inFlight);
        }
        inFlight.add(id);
        return skipped;
    }

    /** Counts all ids up to this one as missing that are above the position, although no message above them was read. */
    public void skipTo(long id) {
        if (id > position) {
            missing.addAll(IdRanges.of(position + 1, id));
            position = id;
        }
    }

    /**
     * Passes messages that another reader has read: they count as delivered, unless {@link #start} follows.
     *
     * @param ids in the order of the outbox: there is no other message between them that was visible, except at or below the position
     * @return those that were not taken before; do not modify
     */
    public IdRanges pass(IdRanges ids) {
        IdRanges above = ids;
        IdRanges filled = NONE;
        if (ids.lowest() <= position) {
            IdRanges below = ids.upTo(position);
            above = new IdRanges(ids);
            above.removeAll(below);
            filled = IdRanges.common(below, missing);
            missing.removeAll(filled);
        }
        if (!above.isEmpty()) {
            IdRanges skipped = IdRanges.of(position + 1, above.highest());
            skipped.removeAll(above);
            missing.addAll(skipped);
            position = above.highest();
        }
        if (filled.isEmpty()) {
            return above;
        }
        filled.addAll(above);
        return filled;
    }

    /** Begins to deliver a message that {@link #pass} has just returned. */
    public void start(long id) {
        inFlight.add(id);
    }

    /**
     * Counts a message as delivered.
     *
     * @throws IllegalStateException if it was not in flight
     */
    public void delivered(long id) {
        delivered(id, id);
    }

    /**
     * Counts the messages from first to last, both included, as delivered; none if last is before first.
     *
     * @throws IllegalStateException if one of them was not in flight
     */
    public void delivered(long first, long last) {
        if (first <= last && !inFlight.remove(first, last)) {
            throw new IllegalStateException(
                    "Messages " + first + " to " + last + " were delivered, but not all of them are in flight");
        }
    }

    /** Removes missing ids that will never appear; ignores ids that are not missing. */
    public void settle(IdRanges proved) {
        missing.removeAll(proved);
    }

    /** The progress to save now; after a crash the ids in its gaps are read again. */
    public ProgressToSave toSave() {
        IdRanges olderGaps = older.toSave();
        IdRanges gaps = new IdRanges(missing);
        gaps.addAll(older.newer());
        gaps.addAll(inFlight);
        return new ProgressToSave(position, gaps, olderGaps);
    }

    /** Records that a result of {@link #toSave()} may or may not have been saved. */
    public void saveFailed(ProgressToSave save) {
        if (save.olderGaps() != null) {
            older.saveFailed();
        }
    }
}
