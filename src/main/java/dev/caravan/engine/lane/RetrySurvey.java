package dev.caravan.engine.lane;

/**
 * The result of a survey of the side tables.
 *
 * @param waits whether a message is in {@code outbox_retry}, or in {@code outbox_dead_letter} if dead letters block
 * @param isDue whether a message of {@code outbox_retry} is due
 * @param lowest in order {@code strict} the lowest id of a message in the side tables; {@link Long#MAX_VALUE} if there is none,
 *     and in the other orders
 */
public record RetrySurvey(boolean waits, boolean isDue, long lowest) {
    public static final RetrySurvey NOTHING_WAITS = new RetrySurvey(false, false, Long.MAX_VALUE);
}
