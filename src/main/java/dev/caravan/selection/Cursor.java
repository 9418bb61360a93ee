package dev.caravan.selection;

import java.time.Instant;

/**
 * Where a list goes on: after the message with this place in its order.
 *
 * @param time the time that the list is in order of; the same for all where it is in order of id
 */
public record Cursor(Instant time, long id, String subscription) {}
