package dev.caravan.lab.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Handles Ctrl-C and SIGTERM: the process ends after the demo has stopped. */
final class StopSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 300;

    private final CountDownLatch wished = new CountDownLatch(1);
    private final CountDownLatch granted = new CountDownLatch(1);
    private final Thread hook = new Thread(this::requestAndWait, "demo-stop");

    StopSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits at most this long. True as soon as the demo must stop. */
    boolean await(long millis) throws InterruptedException {
        return wished.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Call when the demo has stopped. */
    @Override
    public void close() {
        granted.countDown();
        if (wished.getCount() > 0) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the process is ending; the hook returns at once
            }
        }
    }

    private void requestAndWait() {
        wished.countDown();
        try {
            granted.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
