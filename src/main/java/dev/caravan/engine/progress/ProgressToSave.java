package dev.caravan.engine.progress;

/**
 * The progress to write to {@code outbox_subscription}. Two columns together hold the gaps.
 *
 * @param position the highest id read, 0 or more
 * @param gaps the ids at or below the position that are not delivered, except those among the older gaps
 * @param olderGaps the older gaps; null to keep the stored ones
 */
public record ProgressToSave(long position, IdRanges gaps, IdRanges olderGaps) {}
