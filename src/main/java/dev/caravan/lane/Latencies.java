package dev.caravan.lane;

import java.util.Arrays;
import java.util.OptionalInt;

/** Counts how long deliveries took, in eight steps for each doubling. One thread at a time. */
final class Latencies {
    /** Up to here each millisecond has a step of its own. */
    private static final int EXACT = 16;

    private static final int STEPS_BITS = 3;

    private final int[] counts = new int[step(Integer.MAX_VALUE) + 1];
    private int total;

    void add(long millis) {
        counts[step((int) Math.max(0, Math.min(millis, Integer.MAX_VALUE)))]++;
        total++;
    }

    /** The time in milliseconds that 99 % took at most, at most an eighth too long; empty if there was none. Then starts anew. */
    OptionalInt take99thPercentile() {
        if (total == 0) {
            return OptionalInt.empty();
        }
        long above = total / 100;
        int step = counts.length - 1;
        for (long seen = counts[step]; seen <= above; seen += counts[step]) {
            step--;
        }
        Arrays.fill(counts, 0);
        total = 0;
        return OptionalInt.of(longest(step));
    }

    private static int step(int millis) {
        if (millis < EXACT) {
            return millis;
        }
        int shift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(millis) - STEPS_BITS;
        return (shift << STEPS_BITS) + (millis >> shift);
    }

    private static int longest(int step) {
        if (step < EXACT) {
            return step;
        }
        int shift = (step >> STEPS_BITS) - 1;
        long mantissa = step - (shift << STEPS_BITS);
        return (int) (((mantissa + 1) << shift) - 1);
    }
}
