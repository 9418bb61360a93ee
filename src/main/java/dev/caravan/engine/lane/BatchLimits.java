package dev.caravan.engine.lane;

import java.time.Duration;

/**
 * The limits of a batch that is sent as one exchange.
 *
 * @param messages maximum number of messages
 * @param bytes approximate maximum size in bytes; a single larger message is still sent
 * @param maxWait how long messages that may start wait for others to fill the batch; zero if they do not wait
 */
public record BatchLimits(int messages, long bytes, Duration maxWait) {
    /** Each message is sent alone. */
    public static final BatchLimits SINGLE = new BatchLimits(1, 1, Duration.ZERO);
}
