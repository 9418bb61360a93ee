package dev.caravan.operate.failed;

import java.time.Instant;

/**
 * The end of a page: the next page starts after this message.
 *
 * @param time the time by which the list is ordered; the same for all messages when the list is ordered by id
 */
public record Cursor(Instant time, long id, String subscription) {}
