package dev.caravan.lab.torture;

import java.time.Duration;

/**
 * Something that goes wrong for a while.
 *
 * @param name what it is and whom it hits
 * @param end makes it well again; harmless to repeat
 */
record TortureFault(String name, Duration length, Step begin, Step end) {
    /** Part of a fault. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    static TortureFault moment(String name, Step begin) {
        return new TortureFault(name, Duration.ZERO, begin, () -> {});
    }
}
