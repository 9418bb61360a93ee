package dev.caravan.engine.progress;

/**
 * Progress as stored in {@code outbox_subscription}.
 *
 * @param position the highest id read, 0 or more
 * @param gaps the ids at or below the position that are not delivered: missing or in flight
 */
public record SavedProgress(long position, IdRanges gaps) {}
