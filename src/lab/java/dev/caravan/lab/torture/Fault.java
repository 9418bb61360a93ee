package dev.caravan.lab.torture;

import java.time.Duration;

/**
 * Something that goes wrong for a while.
 *
 * @param name what it is and whom it hits
 * @param end makes it well again; harmless to repeat
 */
record Fault(String name, Duration length, Step begin, Step end) {
    /** Part of a fault. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    static Fault moment(String name, Step begin) {
        return new Fault(name, Duration.ZERO, begin, () -> {});
    }
}
