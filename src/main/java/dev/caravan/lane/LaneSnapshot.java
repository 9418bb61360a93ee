package dev.caravan.lane;

import dev.caravan.delivery.Outage;
import java.time.Duration;
import java.util.Optional;

/**
 * The state of an owned lane at one moment, for metrics.
 *
 * @param epoch the epoch of its lease
 * @param leaseHolds false if the lease has expired and was not renewed
 * @param inFlight number of messages taken and not finished
 * @param missingIds number of ids below the position that no read has returned
 * @param oldestMissing time since this relay first noticed the oldest missing id; zero if no id is missing
 * @param outage the outage of the destination; empty while it is available
 * @param longestAttempt the time for which the oldest running attempt has been running; zero if none is
 * @param waitsForRate whether messages could start now but for the rate
 */
public record LaneSnapshot(
        long epoch,
        boolean leaseHolds,
        int inFlight,
        long missingIds,
        Duration oldestMissing,
        Optional<Outage> outage,
        Duration longestAttempt,
        boolean waitsForRate) {}
