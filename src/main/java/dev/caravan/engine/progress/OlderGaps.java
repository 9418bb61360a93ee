package dev.caravan.engine.progress;

/**
 * The gaps that reads leave out. They are stored in the column {@code older_gaps}, which most saves do not write; a gap that is left
 * out later is first stored in {@code gaps} with each save. The column is rewritten when these repeated writes have cost as much as
 * rewriting it, so that the cost of a save does not grow with the number of waiting ids. No I/O; not thread-safe.
 */
final class OlderGaps {
    private final IdRanges all = new IdRanges();
    private IdRanges newer = new IdRanges();
    private boolean outOfDate;
    private long repeated;

    /** All older gaps; do not modify. */
    IdRanges all() {
        return all;
    }

    /** The older gaps that the column does not contain yet; do not modify. */
    IdRanges newer() {
        return newer;
    }

    void add(IdRanges ids) {
        IdRanges fresh = new IdRanges(ids);
        fresh.removeAll(all);
        newer.addAll(fresh);
        all.addAll(ids);
    }

    void remove(IdRanges ids) {
        IdRanges inColumn = new IdRanges(ids);
        inColumn.removeAll(newer);
        outOfDate |= !inColumn.isEmpty();
        all.removeAll(ids);
        newer.removeAll(ids);
    }

    /** The value that the next save must write to the column; null if the column needs no change. */
    IdRanges toSave() {
        repeated += newer.size();
        if (!outOfDate && (newer.isEmpty() || repeated < all.size())) {
            return null;
        }
        outOfDate = false;
        repeated = 0;
        newer = new IdRanges();
        return new IdRanges(all);
    }

    /** Records that the value of the last {@link #toSave()} may or may not be in the column. */
    void saveFailed() {
        outOfDate = true;
    }
}
