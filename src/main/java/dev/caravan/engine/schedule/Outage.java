package dev.caravan.engine.schedule;

import java.time.Duration;

/**
 * An outage of a destination.
 *
 * @param lasting time since its start
 * @param reason the last error, on one line and without content of a message
 * @param untilProbe time until the next probe; zero when a probe may start or is running
 */
public record Outage(Duration lasting, String reason, Duration untilProbe) {}
