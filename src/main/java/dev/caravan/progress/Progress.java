package dev.caravan.progress;

/**
 * How far a lane has come: the highest id taken, and the ids at or below it that are not delivered yet. These are either
 * missing (no reader has seen them: an open transaction may still fill them, or they were rolled back) or in flight (taken
 * and not finished). Reads leave out missing ids that only transactions can fill which are known to be open. Every other id at or
 * below the position is delivered or settled. No I/O; one thread at a time.
 */
public final class Progress {
    private static final IdRanges NONE = new IdRanges();

    private long position;
    private final IdRanges missing;
    private final OlderGaps older = new OlderGaps();
    private final IdRanges inFlight = new IdRanges();

    /** Continues where the saved progress ended: whatever was in flight then is looked up again. */
    public Progress(SavedProgress saved) {
        position = saved.position();
        missing = new IdRanges(saved.gaps());
    }

    /** The highest id taken. */
    public long position() {
        return position;
    }

    /** The ids to look up again on the next read; read only. */
    public IdRanges missing() {
        return missing;
    }

    /** The missing ids that reads leave out; read only. */
    public IdRanges leftOut() {
        return older.all();
    }

    /** Missing ids need not be looked up until further notice. */
    public void leaveOut(IdRanges ids) {
        missing.removeAll(ids);
        older.add(ids);
    }

    /** Ids that were left out are to be looked up again. */
    public void lookUpAgain(IdRanges ids) {
        older.remove(ids);
        missing.addAll(ids);
    }

    /** Whether nothing is taken and unfinished. */
    public boolean isIdle() {
        return inFlight.isEmpty();
    }

    /**
     * Takes a message that was read, in ascending order of ids within a read.
     *
     * @return the ids that were found missing by this step, between the old position and the id; empty if the id came from a gap; read only
     * @throws IllegalStateException if the id was already taken, which would deliver it twice
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

    /**
     * Counts a message as delivered.
     *
     * @throws IllegalStateException if it was not in flight
     */
    public void delivered(long id) {
        if (!inFlight.remove(id)) {
            throw new IllegalStateException("Message " + id + " was delivered but is not in flight");
        }
    }

    /** Forgets missing ids that were proved never to appear; ids that are not missing are left alone. */
    public void settle(IdRanges proved) {
        missing.removeAll(proved);
    }

    /** What to save at this moment: after a crash the ids in its gaps are read again. */
    public ProgressToSave toSave() {
        IdRanges olderGaps = older.toSave();
        IdRanges gaps = new IdRanges(missing);
        gaps.addAll(older.newer());
        gaps.addAll(inFlight);
        return new ProgressToSave(position, gaps, olderGaps);
    }

    /** What {@link #toSave()} returned may be saved or not. */
    public void saveFailed(ProgressToSave save) {
        if (save.olderGaps() != null) {
            older.saveFailed();
        }
    }
}
