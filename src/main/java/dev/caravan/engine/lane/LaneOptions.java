package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;

/**
 * The options of a lane.
 *
 * @param order which messages wait for each other
 * @param pipelined whether messages of a key start without waiting for the previous one
 * @param concurrency maximum number of started messages or batches; not used if pipelined
 * @param batchSize maximum number of messages per read
 * @param batchBytes maximum size of a read in bytes; a single larger message is still read
 * @param maxMessageBytes the contents of larger messages are not read; such a message becomes a dead letter
 * @param window maximum number of messages taken and not finished; their size is limited to four times batchBytes
 * @param retry when a failed message is retried, and when it becomes a dead letter
 * @param saveInterval the longest time between two saves of changed progress
 * @param leaseRenewal the longest time between two saves when nothing changes
 * @param refusedInterval the interval for storing changes again that the database refused
 * @param batching the limits of a batch that is sent as one exchange
 */
public record LaneOptions(
        Order order,
        boolean pipelined,
        int concurrency,
        int batchSize,
        long batchBytes,
        long maxMessageBytes,
        int window,
        RetryPolicy retry,
        Duration saveInterval,
        Duration leaseRenewal,
        Duration refusedInterval,
        BatchLimits batching) {

    int maxStarted() {
        return pipelined ? window : concurrency;
    }

    /** Whether dead letters hold back later messages. */
    public boolean deadLettersBlock() {
        return retry.onDead().blocks(order);
    }

    /** The longest pause between two saves while old row versions remain: half of the lease. */
    Duration longestPauseBetweenSaves() {
        return leaseRenewal.multipliedBy(5).dividedBy(3);
    }

    long windowBytes() {
        return 4 * batchBytes;
    }
}
