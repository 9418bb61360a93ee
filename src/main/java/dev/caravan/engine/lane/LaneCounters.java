package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Outcome;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * Counters of one lane in this process. They only grow, and continue when this relay loses the lease and claims it again.
 * Thread-safe without locks, because they are updated for each message.
 */
public final class LaneCounters {
    private final Clock clock;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder poison = new LongAdder();
    private final LongAdder messageFailures = new LongAdder();
    private final LongAdder destinationFailures = new LongAdder();
    private final LongAdder deadLettered = new LongAdder();
    private final LongAdder deadLettersMissed = new LongAdder();
    private final LongAdder deleted = new LongAdder();
    private final LongAdder halved = new LongAdder();
    private final LongAdder leasesLost = new LongAdder();
    private volatile TimingListener listener = TimingListener.NONE;

    public LaneCounters(Clock clock) {
        this.clock = clock;
    }

    /** Sets the listener that receives durations; it replaces the previous one. */
    public void listen(TimingListener listener) {
        this.listener = listener;
    }

    /** Counts the end of a batch. */
    void endedBatch(int messages) {
        listener.batch(messages);
    }

    /** Counts a batch that failed as a whole and is sent again in halves. */
    void halvedBatch() {
        halved.increment();
    }

    /** Counts the end of an attempt by its outcome. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case DELIVERED -> {} // counted when the earlier messages of its key are delivered too
            case RETRY -> messageFailures.increment();
            case DEAD -> poison.increment();
            case UNAVAILABLE -> destinationFailures.increment();
        }
    }

    /**
     * Counts delivered messages.
     *
     * @param latencies receives the time since the creation of each, in milliseconds; wrong by the difference between the clocks
     *     of relay and database
     */
    void delivered(List<Delivery> deliveries, LongConsumer latencies) {
        if (deliveries.isEmpty()) {
            return;
        }
        delivered.add(deliveries.size());
        TimingListener timings = listener;
        long now = clock.millis();
        for (int i = 0; i < deliveries.size(); i++) {
            long millis =
                    Math.max(0, now - deliveries.get(i).message().createdAt().toEpochMilli());
            timings.delivered(millis);
            latencies.accept(millis);
        }
    }

    /**
     * Reports the duration of a read.
     *
     * @param messages number of messages returned, including those of types that are not selected
     */
    public void read(long nanos, int messages) {
        listener.read(nanos, messages);
    }

    /** Reports the duration of a save of progress. */
    public void saved(long nanos) {
        listener.saved(nanos);
    }

    /** Counts a lease that another relay took before this relay released it. */
    public void lostLease() {
        leasesLost.increment();
    }

    /** Counts a stored dead letter. */
    void storedDeadLetter() {
        deadLettered.increment();
    }

    /** Counts a stored dead letter that the route {@code dead-letter} does not receive. */
    public void missedDeadLetter() {
        deadLettersMissed.increment();
    }

    /** Counts a message that was deleted from the outbox before its failure was stored. */
    public void deleted() {
        deleted.increment();
    }

    /** Number of messages delivered, including repeats. */
    public long delivered() {
        return delivered.sum();
    }

    /** Number of attempts whose failure made the message a dead letter at once. */
    public long poison() {
        return poison.sum();
    }

    /** Number of attempts whose failure may be caused by the message. */
    public long messageFailures() {
        return messageFailures.sum();
    }

    /** Number of attempts that found the destination unavailable. */
    public long destinationFailures() {
        return destinationFailures.sum();
    }

    /** Number of dead letters stored. */
    public long deadLettered() {
        return deadLettered.sum();
    }

    /** Number of stored dead letters that the route {@code dead-letter} did not receive. */
    public long deadLettersMissed() {
        return deadLettersMissed.sum();
    }

    /** Number of messages that failed or were blocked, and whose row was deleted from the outbox before this was stored. */
    public long deletedMessages() {
        return deleted.sum();
    }

    /** Number of batches that failed as a whole and were sent again in halves. */
    public long halvedBatches() {
        return halved.sum();
    }

    /** Number of leases that another relay took before this relay released them. */
    public long leasesLost() {
        return leasesLost.sum();
    }
}
