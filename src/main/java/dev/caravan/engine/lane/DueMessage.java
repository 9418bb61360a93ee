package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Delivery;

/**
 * A message of {@code outbox_retry} that is due.
 *
 * @param isBehind whether an earlier message of its key is in {@code outbox_retry}
 */
public record DueMessage(Delivery delivery, boolean isBehind) {}
