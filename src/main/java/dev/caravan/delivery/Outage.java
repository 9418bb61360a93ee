package dev.caravan.delivery;

import java.time.Duration;

/**
 * A destination that is away.
 *
 * @param since how long it has been away
 * @param reason the last error, in one line without anything of a message
 * @param untilProbe how long until it is probed next; zero when a probe may start or is on its way
 */
public record Outage(Duration since, String reason, Duration untilProbe) {}
