package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Outage;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The values of an owned lane that its relay writes to the row of the lane in {@code outbox_subscription}.
 *
 * @param inFlight number of messages taken and not finished
 * @param latencyMillis 99th percentile of the time from creation to delivery, in milliseconds, of the messages delivered since
 *     the last report; exceeds the exact value by at most one eighth; empty if no message was delivered
 * @param outage the outage of the destination; empty while it is available
 * @param rate the use of the rate; empty without one
 */
public record LaneReport(
        int inFlight, OptionalInt latencyMillis, Optional<Outage> outage, Optional<RateShare.Use> rate) {}
