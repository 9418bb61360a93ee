package dev.caravan.lane;

import dev.caravan.delivery.Outage;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a lane is doing, for everybody who has only the database to look at.
 *
 * @param inFlight how many messages are taken and not finished
 * @param latencyMillis of what was delivered since the last report: the time from its creation that 99 % took at most, rounded
 *     up by an eighth at most; empty if nothing was delivered
 * @param outage why the destination is unavailable; empty while it is available
 */
public record LaneReport(int inFlight, OptionalInt latencyMillis, Optional<Outage> outage) {}
