package dev.caravan.lane;

import java.util.function.LongSupplier;

/** The clock of a lane: nanoseconds that have passed, also while the machine was suspended. */
@FunctionalInterface
public interface LaneClock extends LongSupplier {
    /**
     * The time without a suspension that nobody has noticed yet. Reads one clock of the machine instead of two: for what is looked
     * at again before it matters.
     */
    default long atLeast() {
        return getAsLong();
    }
}
