package dev.caravan.lab.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Handles Ctrl-C: interrupts the thread of the benchmark and waits at most a minute until it has cleaned up. */
final class BenchInterruption implements AutoCloseable {
    private static final int LIMIT_SECONDS = 60;

    private final Thread worker = Thread.currentThread();
    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "interrupt-bench");

    BenchInterruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupt() {
        worker.interrupt();
        try {
            cleanedUp.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Call after everything is cleaned up. */
    @Override
    public void close() {
        cleanedUp.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the hook is running and ends the process
        }
    }
}
