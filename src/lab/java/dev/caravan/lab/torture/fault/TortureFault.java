package dev.caravan.lab.torture.fault;

import java.time.Duration;

/**
 * A temporary fault.
 *
 * @param name the kind and the target
 * @param end ends the fault; may be repeated
 */
record TortureFault(String name, Duration length, Step begin, Step end) {
    /** The beginning or the end of a fault. */
    @FunctionalInterface
    interface Step {
        void run() throws Exception;
    }

    static TortureFault moment(String name, Step begin) {
        return new TortureFault(name, Duration.ZERO, begin, () -> {});
    }
}
