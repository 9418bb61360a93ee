package dev.caravan.camel.monitoring;

import dev.caravan.camel.monitoring.Families.Tags;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts the latencies of a lane in a histogram. Thread-safe without locks, because it is updated for each message. */
final class Latencies {
    /**
     * Upper bounds in milliseconds. Up to a second a quantile is exact to a factor of 2.5. Above, a message has waited, and the
     * bounds are coarse; the last ones are the limits of the alert LagHigh.
     */
    private static final long[] BOUNDS = {5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000, 300_000, 3_600_000};

    private static final double MILLIS = 1e3;
    private static final double[] SECONDS = seconds();

    private final LongAdder[] counts =
            Stream.generate(LongAdder::new).limit(SECONDS.length).toArray(LongAdder[]::new);
    private final LongAdder sum = new LongAdder();

    private static double[] seconds() {
        double[] seconds = new double[BOUNDS.length + 1];
        for (int i = 0; i < BOUNDS.length; i++) {
            seconds[i] = BOUNDS[i] / MILLIS;
        }
        seconds[BOUNDS.length] = Double.POSITIVE_INFINITY;
        return seconds;
    }

    void add(long millis) {
        int bucket = 0;
        while (bucket < BOUNDS.length && millis > BOUNDS[bucket]) {
            bucket++;
        }
        counts[bucket].increment();
        sum.add(millis);
    }

    Families.Counted counted(Tags tags) {
        long[] counted = new long[counts.length];
        for (int i = 0; i < counted.length; i++) {
            counted[i] = counts[i].sum();
        }
        return new Families.Counted(tags, SECONDS, counted, sum.sum() / MILLIS);
    }
}
