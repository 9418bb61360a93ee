package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Outage;
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
 * @param longestAttempt the running time of the oldest running attempt; zero if none is running
 * @param waitsForRate whether messages wait only because of the rate
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
