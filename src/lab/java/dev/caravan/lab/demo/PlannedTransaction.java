package dev.caravan.lab.demo;

import java.util.List;
import java.util.UUID;

/**
 * A transaction of the booking application before it runs.
 *
 * @param messageIds one to three; the ids tell rolled-back messages from committed ones
 * @param pauseMillis how long it stays open after its inserts, so that others commit higher ids before it
 */
record PlannedTransaction(Booking booking, List<UUID> messageIds, boolean rollsBack, int pauseMillis) {}
