package dev.caravan.lane;

import dev.caravan.delivery.Outage;
import java.time.Duration;
import java.util.Optional;

/**
 * How a lane is doing at one moment, as the relay knows that has taken it.
 *
 * @param epoch of its lease
 * @param leaseHolds false when the lease has ended and was not renewed
 * @param inFlight messages taken and not finished
 * @param messagesWait whether messages are in {@code outbox_retry}, or dead letters that block
 * @param missingIds ids below the position that no read has shown
 * @param oldestMissing how long the first of these has been missing as far as this relay knows; zero if there are none
 * @param outage why the destination is unavailable; empty while it is available
 */
public record LaneState(
        long epoch,
        boolean leaseHolds,
        int inFlight,
        boolean messagesWait,
        long missingIds,
        Duration oldestMissing,
        Optional<Outage> outage) {}
