package dev.caravan.lab.torture.fault;

import java.time.Duration;
import org.apache.camel.util.function.ThrowingRunnable;

/**
 * A temporary fault.
 *
 * @param name the kind and the target
 * @param end ends the fault; may be repeated
 */
record TortureFault(String name, Duration length, ThrowingRunnable<Exception> begin, ThrowingRunnable<Exception> end) {
    static TortureFault moment(String name, ThrowingRunnable<Exception> begin) {
        return new TortureFault(name, Duration.ZERO, begin, () -> {});
    }
}
