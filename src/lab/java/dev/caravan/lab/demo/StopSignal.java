package dev.caravan.lab.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Handles Ctrl-C and SIGTERM: delays the end of the process until the demo has stopped. */
final class StopSignal implements AutoCloseable {
    private static final long LIMIT_SECONDS = 300;

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread hook = new Thread(this::requestAndWait, "demo-stop");

    StopSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits at most this long. Returns true as soon as the demo must stop. */
    boolean await(long millis) throws InterruptedException {
        return requested.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Call when the demo has stopped. */
    @Override
    public void close() {
        stopped.countDown();
        if (requested.getCount() > 0) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the process is ending; the hook returns at once
            }
        }
    }

    private void requestAndWait() {
        requested.countDown();
        try {
            stopped.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
