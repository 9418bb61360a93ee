package dev.caravan.progress;

/**
 * Which missing ids one read looks up. Looking up millions of ranges would outlast the lease, so very many are looked up a part at
 * a time, from the lowest on. Each part is settled, delivered or left out, so that the next read has the next one. Where nothing of
 * this happens for a while, they wait for a writer that has no transaction id, and all have to be looked up in one read. No I/O; one
 * thread at a time.
 */
public final class LookUpParts {
    private final int part;
    private final long patience;
    private int ranges;
    private long changedAt;
    private boolean whole;
    private int wholeFrom;

    /**
     * @param part ranges of one read
     * @param patience for how long the same part is looked up, on the clock of the other methods
     */
    public LookUpParts(int part, long patience) {
        this.part = part;
        this.patience = patience;
    }

    /** Those of the missing ids that the next read looks up: all, or the lowest ones. */
    public IdRanges next(IdRanges missing, long now) {
        if (missing.size() != ranges) {
            ranges = missing.size();
            changedAt = now;
        }
        if (ranges <= part) {
            whole = false;
            return missing;
        }
        if (whole ? ranges + part <= wholeFrom : now - changedAt >= patience) {
            whole = !whole;
            wholeFrom = ranges;
        }
        return whole ? missing : missing.firstRanges(part);
    }
}
