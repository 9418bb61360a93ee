package dev.caravan.engine.lane;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Outcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/**
 * Counters of one lane in this process. They only grow, and continue when this relay loses the lease and claims it again.
 * Thread-safe without locks, because they are updated for each message.
 */
public final class LaneCounters {
    /** What is counted. */
    public enum Count {
        /** Messages delivered, including repeats. */
        DELIVERED,
        /** Attempts whose failure made the message a dead letter at once. */
        POISON,
        /** Attempts whose failure may be caused by the message. */
        MESSAGE_FAILURES,
        /** Attempts that found the destination unavailable. */
        DESTINATION_FAILURES,
        /** Dead letters stored. */
        DEAD_LETTERED,
        /** Stored dead letters that the route {@code dead-letter} did not receive. */
        DEAD_LETTERS_MISSED,
        /** Messages that failed or were blocked, and whose row was deleted from the outbox before this was stored. */
        DELETED,
        /** Batches that failed as a whole and were sent again in halves. */
        HALVED_BATCHES,
        /** Leases that another relay took before this relay released them. */
        LEASES_LOST
    }

    private final Clock clock;
    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);
    private volatile TimingListener listener = TimingListener.NONE;

    public LaneCounters(Clock clock) {
        this.clock = clock;
        for (Count count : Count.values()) {
            counts.put(count, new LongAdder());
        }
    }

    /** Sets the listener that receives durations; it replaces the previous one. */
    public void listen(TimingListener listener) {
        this.listener = listener;
    }

    /** Adds one. */
    public void add(Count count) {
        counts.get(count).increment();
    }

    /** The number counted so far. */
    public long of(Count count) {
        return counts.get(count).sum();
    }

    /** Counts the end of an attempt by its outcome. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case DELIVERED -> {} // counted when the earlier messages of its key are delivered too
            case RETRY -> add(Count.MESSAGE_FAILURES);
            case DEAD -> add(Count.POISON);
            case UNAVAILABLE -> add(Count.DESTINATION_FAILURES);
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
        counts.get(Count.DELIVERED).add(deliveries.size());
        TimingListener timings = listener;
        long now = clock.millis();
        for (int i = 0; i < deliveries.size(); i++) {
            long millis =
                    Math.max(0, now - deliveries.get(i).message().createdAt().toEpochMilli());
            timings.delivered(millis);
            latencies.accept(millis);
        }
    }

    /** Reports the number of messages of a batch whose exchange has ended. */
    void endedBatch(int messages) {
        listener.batch(messages);
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
}
