package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;

/**
 * The settings of the lanes of a subscription: the options of its route, and those of the relay that concern a lane.
 *
 * @param lanes the number of lanes in the route
 * @param types message types to deliver, separated by commas; {@code *} matches any characters
 * @param start where a new subscription starts
 * @param relay the name of this relay
 * @param lease time after which another relay may take over a lane whose relay no longer answers
 * @param order which messages wait for each other
 * @param pipelined whether messages of a key start without waiting for the previous one
 * @param concurrency maximum number of started messages or batches; not used if pipelined
 * @param batchSize maximum number of messages per read
 * @param batchBytes maximum size of a read in bytes; a single larger message is still read
 * @param maxMessageBytes the contents of larger messages are not read; such a message becomes a dead letter
 * @param window maximum number of messages taken and not finished; their size is limited to four times batchBytes
 * @param retry when a failed message is retried, and when it becomes a dead letter
 * @param saveInterval the longest time between two saves of changed progress
 * @param refusedInterval the interval for storing changes again that the database refused
 * @param batching the limits of a batch that is sent as one exchange
 */
public record LaneSettings(
        String subscription,
        int lanes,
        String types,
        Start start,
        String relay,
        Duration lease,
        Order order,
        boolean pipelined,
        int concurrency,
        int batchSize,
        long batchBytes,
        long maxMessageBytes,
        int window,
        RetryPolicy retry,
        Duration saveInterval,
        Duration refusedInterval,
        BatchLimits batching) {

    /** The longest time between two saves when nothing changes: 3 s with the default lease. */
    public Duration leaseRenewal() {
        return leaseRenewal(lease);
    }

    /** The longest time between two saves of a lane with this lease. */
    public static Duration leaseRenewal(Duration lease) {
        return lease.multipliedBy(3).dividedBy(10);
    }

    /** The pause between two reads of a sleeping subscription, which also renew its lease: 1 s with the default lease. */
    public Duration pauseAsleep() {
        return pauseAsleep(lease);
    }

    /** The pause between two reads of a sleeping relay with this lease. */
    public static Duration pauseAsleep(Duration lease) {
        return lease.dividedBy(10);
    }

    /** Whether dead letters hold back later messages. */
    public boolean deadLettersBlock() {
        return retry.onDead().blocks(order);
    }

    int maxStarted() {
        return pipelined ? window : concurrency;
    }

    /** The maximum number of threads that start attempts. With one, pipelined messages start in order. */
    int maxThreads() {
        return pipelined ? 1 : concurrency;
    }

    /** The longest pause between two saves while old row versions remain. */
    Duration longestPauseBetweenSaves() {
        return lease.dividedBy(2);
    }

    long windowBytes() {
        return 4 * batchBytes;
    }
}
