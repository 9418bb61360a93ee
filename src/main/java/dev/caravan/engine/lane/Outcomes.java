package dev.caravan.engine.lane;

import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Ended;
import dev.caravan.engine.schedule.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.HdrHistogram.Histogram;

/** Records the outcomes of messages: delivered messages count in the progress, others move to the side tables. */
final class Outcomes {
    private static final int LATENCY_DIGITS = 2;

    private final RetryPolicy retry;
    private final Reading reading;
    private final RetryState retryState;
    private final LaneCounters counters;
    private final Histogram latencies = new Histogram(LATENCY_DIGITS);
    private long deliveredCount;

    /** @param deliveredCount the saved number of delivered messages */
    Outcomes(RetryPolicy retry, Reading reading, RetryState retryState, LaneCounters counters, long deliveredCount) {
        this.retry = retry;
        this.reading = reading;
        this.retryState = retryState;
        this.counters = counters;
        this.deliveredCount = deliveredCount;
    }

    void ended(Ended ended) {
        delivered(ended.delivered());
        ended.dead().forEach(this::dead);
        ended.failed().forEach(this::failed);
        ended.blocked().forEach(this::blocked);
    }

    /** Removes consecutive ids from the gaps together: most ids of a batch are consecutive. */
    private void delivered(List<Delivery> deliveries) {
        deliveredCount += deliveries.size();
        counters.delivered(deliveries, latencies::recordValue);
        long first = 1;
        long last = 0;
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            long id = delivery.message().id();
            if (delivery.isStored()) {
                change(new Change.Remove(delivery));
            } else if (first <= last && id == last + 1) {
                last = id;
            } else {
                reading.delivered(first, last);
                first = id;
                last = id;
            }
        }
        reading.delivered(first, last);
    }

    private void dead(Delivery delivery) {
        change(new Change.Dead(delivery, delivery.failedAttempts() + 1, delivery.failure()));
    }

    private void failed(Delivery delivery) {
        int attempts = delivery.failedAttempts() + (delivery.isCounted() ? 1 : 0);
        if (delivery.isCounted() && retry.isExhausted(attempts, delivery.failingFor())) {
            dead(delivery);
        } else {
            Duration delay = retry.backoff().after(Math.max(1, attempts));
            change(new Change.Retry(delivery, attempts, delay, delivery.failure()));
        }
    }

    /** Records a message that waits behind an earlier message of its key. */
    void blocked(Delivery delivery) {
        change(new Change.Block(delivery));
    }

    /** Records a change: one save removes the message from the gaps and writes it to the side tables. */
    private void change(Change change) {
        retryState.change(change);
        if (!change.delivery().isStored()) {
            long id = change.delivery().message().id();
            reading.delivered(id, id);
        }
    }

    /** Number of messages that the lane has delivered, by this relay and earlier owners. */
    long deliveredCount() {
        return deliveredCount;
    }

    /** The 99th percentile of the latency since the last call, in milliseconds; empty if nothing was delivered. */
    OptionalInt takeLatency() {
        if (latencies.getTotalCount() == 0) {
            return OptionalInt.empty();
        }
        long millis = latencies.getValueAtPercentile(99);
        latencies.reset();
        return OptionalInt.of((int) Math.min(millis, Integer.MAX_VALUE));
    }
}
