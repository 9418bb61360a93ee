package dev.caravan.lane;

import dev.caravan.delivery.Order;
import dev.caravan.delivery.RetryPolicy;
import java.time.Duration;

/**
 * How a lane is worked.
 *
 * @param order which messages wait for each other
 * @param pipelined whether the messages of a key are started without waiting for each other
 * @param concurrency how many messages may be on their way at once; with pipelining the window decides instead
 * @param batchSize how many messages one read may return
 * @param batchBytes how many bytes of messages one read may return; a single larger message is still read
 * @param window how many messages may be taken and not finished; their bytes may be four times batchBytes
 * @param retry when a message that fails is tried again, and when no more
 * @param saveInterval the longest time between two saves of changed progress while work goes on
 * @param leaseRenewal the longest time between two saves when nothing changes
 * @param refusedInterval how soon what the database refused is stored again
 */
public record LaneOptions(
        Order order,
        boolean pipelined,
        int concurrency,
        int batchSize,
        long batchBytes,
        int window,
        RetryPolicy retry,
        Duration saveInterval,
        Duration leaseRenewal,
        Duration refusedInterval) {

    int maxStarted() {
        return pipelined ? window : concurrency;
    }

    /** Whether dead letters hold back later messages. */
    public boolean deadLettersBlock() {
        return retry.onDead().blocks(order);
    }

    /** The longest pause between two saves, however many old versions of the row stay: half of the lease. */
    Duration longestPauseBetweenSaves() {
        return leaseRenewal.multipliedBy(5).dividedBy(3);
    }

    long windowBytes() {
        return 4 * batchBytes;
    }
}
