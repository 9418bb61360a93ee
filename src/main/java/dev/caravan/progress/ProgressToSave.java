package dev.caravan.progress;

/**
 * What to write about progress into {@code outbox_subscription}: all gaps are those in two columns together.
 *
 * @param position the highest id taken, 0 or more
 * @param gaps the ids at or below the position that are not delivered, but for those that stand among the older gaps
 * @param olderGaps the older gaps, or null if they stay as they are
 */
public record ProgressToSave(long position, IdRanges gaps, IdRanges olderGaps) {
    /** One that leaves the older gaps as they are. */
    public ProgressToSave(long position, IdRanges gaps) {
        this(position, gaps, null);
    }
}
