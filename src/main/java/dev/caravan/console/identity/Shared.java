package dev.caravan.console.identity;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A value that is loaded when it is asked for, once for all who ask meanwhile. It is kept for some time, and so is a failure: a server that
 * does not answer gets one request at a time, whatever the number of those who wait for it.
 */
final class Shared<T> {
    /** @param end when the result is too old, in nanoseconds; valid once there is a result */
    private record Load<T>(CompletableFuture<T> result, AtomicLong end) {}

    private final Supplier<CompletableFuture<T>> source;
    private final Duration keep;
    private final Duration keepFailure;
    private final LongSupplier nanoTime;
    private Load<T> last;

    /**
     * @param source begins to load the value, without waiting for it
     * @param keep how old a value may be, from the moment at which its load began
     * @param keepFailure how long a failure is the answer, from the moment at which it was known
     */
    Shared(Supplier<CompletableFuture<T>> source, Duration keep, Duration keepFailure, LongSupplier nanoTime) {
        this.source = source;
        this.keep = keep;
        this.keepFailure = keepFailure;
        this.nanoTime = nanoTime;
    }

    /** The value, or the failure to load it. */
    synchronized CompletableFuture<T> get() {
        if (last == null
                || last.result().isDone() && nanoTime.getAsLong() - last.end().get() >= 0) {
            last = load();
        }
        return last.result().copy(); // so that nobody can end it for the others
    }

    /** Lets the next {@link #get} begin a new load. One that is under way does not see what has changed. */
    synchronized void forget() {
        last = null;
    }

    private Load<T> load() {
        AtomicLong end = new AtomicLong();
        long begun = nanoTime.getAsLong();
        return new Load<>(
                source.get()
                        .whenComplete((value, failure) -> end.set(
                                failure == null
                                        ? begun + keep.toNanos()
                                        : nanoTime.getAsLong() + keepFailure.toNanos())),
                end);
    }
}
