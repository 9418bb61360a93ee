package dev.caravan.engine.progress;

/**
 * Chooses the missing ids that one read looks up. Looking up millions of ranges would take longer than the lease, so a large number
 * is looked up in parts, the lowest ids first. Each part is settled, delivered or left out, and the next read looks up the next
 * part. If a part does not change for a while, its ids wait for a writer without a transaction id, and one read must look up all
 * missing ids. No I/O; not thread-safe.
 */
public final class LookUpParts {
    private final int part;
    private final long timeout;
    private int ranges;
    private long changedAt;
    private boolean whole;
    private int wholeFrom;

    /**
     * @param part number of ranges that one read looks up
     * @param timeout how long the same part is looked up before all missing ids are looked up, in units of the clock of
     *     {@link #next}
     */
    public LookUpParts(int part, long timeout) {
        this.part = part;
        this.timeout = timeout;
    }

    /** The missing ids that the next read looks up: all, or the lowest ones. */
    public IdRanges next(IdRanges missing, long now) {
        if (missing.size() != ranges) {
            ranges = missing.size();
            changedAt = now;
        }
        if (ranges <= part) {
            whole = false;
            return missing;
        }
        if (whole ? ranges + part <= wholeFrom : now - changedAt >= timeout) {
            whole = !whole;
            wholeFrom = ranges;
        }
        return whole ? missing : missing.firstRanges(part);
    }
}
