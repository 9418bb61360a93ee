package dev.caravan.lab.demo;

import java.util.List;
import java.util.UUID;

/**
 * A planned transaction of the booking application.
 *
 * @param messageIds one to three; the ids distinguish rolled-back messages from committed ones
 * @param pauseMillis how long it stays open after its inserts, so that higher ids are committed before it
 */
record PlannedTransaction(Booking booking, List<UUID> messageIds, boolean rollsBack, int pauseMillis) {}
