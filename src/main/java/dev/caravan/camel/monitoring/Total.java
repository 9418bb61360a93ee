package dev.caravan.camel.monitoring;

import dev.caravan.camel.monitoring.Families.Tags;
import java.util.concurrent.atomic.LongAdder;

/** A number of values and their sum. Thread-safe without locks. */
final class Total {
    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();

    void add(long value) {
        count.increment();
        sum.add(value);
    }

    boolean isEmpty() {
        return count.sum() == 0;
    }

    /** @param unit by which the sum is divided */
    Families.Summed summed(Tags tags, double unit) {
        return new Families.Summed(tags, count.sum(), sum.sum() / unit);
    }
}
