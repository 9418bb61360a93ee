package dev.caravan.lane;

import dev.caravan.clock.Clock;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Outcome;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one lane has done in this process, however often its lease came and went: numbers that only grow. Written by the
 * threads of the lane for each message, read by anybody.
 */
public final class LaneStats {
    private final Clock clock;
    private final LongAdder delivered = new LongAdder();
    private final LongAdder poison = new LongAdder();
    private final LongAdder messageFailures = new LongAdder();
    private final LongAdder destinationFailures = new LongAdder();
    private final LongAdder deadLettered = new LongAdder();
    private final LongAdder deadMissed = new LongAdder();
    private final LongAdder vanished = new LongAdder();
    private final LongAdder leasesLost = new LongAdder();
    private volatile LaneTimings timings = LaneTimings.NONE;

    public LaneStats(Clock clock) {
        this.clock = clock;
    }

    /** From now on tells how long things take; before, nobody. */
    public void tell(LaneTimings timings) {
        this.timings = timings;
    }

    /** An attempt has ended. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case DELIVERED -> {} // counts when those before it are delivered too
            case RETRY -> messageFailures.increment();
            case DEAD -> poison.increment();
            case UNAVAILABLE -> destinationFailures.increment();
        }
    }

    /**
     * A message is delivered.
     *
     * @return how long after it was created, in milliseconds; as good as the clocks of relay and database agree
     */
    long delivered(Message message) {
        delivered.increment();
        long millis = Math.max(0, clock.millis() - message.createdAt().toEpochMilli());
        timings.delivered(millis);
        return millis;
    }

    /** A read took so long and returned so many messages. */
    public void read(long nanos, int messages) {
        timings.read(nanos, messages);
    }

    /** A save of the progress took so long. */
    public void saved(long nanos) {
        timings.saved(nanos);
    }

    /** Another relay has taken the lane, which had not been given back. */
    public void lostLease() {
        leasesLost.increment();
    }

    /** A message is stored as a dead letter. */
    void storedDead() {
        deadLettered.increment();
    }

    /** The route dead-letter does not see a dead letter that is stored. */
    public void missedDead() {
        deadMissed.increment();
    }

    /** The row of a message was deleted from the outbox before its failure could be stored. */
    public void vanished() {
        vanished.increment();
    }

    /** How many messages it has delivered. */
    public long delivered() {
        return delivered.sum();
    }

    /** How many attempts failed by poison. */
    public long poison() {
        return poison.sum();
    }

    /** How many attempts failed by what may be the fault of the message. */
    public long messageFailures() {
        return messageFailures.sum();
    }

    /** How many attempts found the destination unavailable. */
    public long destinationFailures() {
        return destinationFailures.sum();
    }

    /** How many messages it has stored as dead letters. */
    public long deadLettered() {
        return deadLettered.sum();
    }

    /** How many dead letters the route dead-letter did not see. */
    public long deadMissed() {
        return deadMissed.sum();
    }

    /** How many messages failed or had to wait, and are not kept because their row had left the outbox. */
    public long vanishedMessages() {
        return vanished.sum();
    }

    /** How often another relay took the lane, which had not been given back. */
    public long leasesLost() {
        return leasesLost.sum();
    }
}
