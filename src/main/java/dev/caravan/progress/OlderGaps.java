package dev.caravan.progress;

/**
 * The gaps that a save need not write again, because they stand in a column of their own: those that reads leave out. This column
 * is written anew when saving beside it what has been left out since has cost as much, so that the cost of a save does not grow with
 * what only waits. No I/O; one thread at a time.
 */
final class OlderGaps {
    private final IdRanges all = new IdRanges();
    private IdRanges newer = new IdRanges();
    private boolean outOfDate;
    private long repeated;

    /** All of them; read only. */
    IdRanges all() {
        return all;
    }

    /** Those that do not stand in the column yet; read only. */
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

    /** A save is about to be made; returns what it has to write into the column, or null if what stands there is right. */
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

    /** What {@link #toSave()} returned may stand in the column or not. */
    void saveFailed() {
        outOfDate = true;
    }
}
