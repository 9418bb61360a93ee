package dev.caravan.lab.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ctrl-C (or SIGTERM) as a wish that the demo grants: the process stays until the demo has stopped in order. */
final class StopSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 300;

    private final CountDownLatch wished = new CountDownLatch(1);
    private final CountDownLatch granted = new CountDownLatch(1);
    private final Thread hook = new Thread(this::wishAndWait, "demo-stop");

    StopSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits this long at most; true as soon as somebody wants the demo to stop. */
    boolean await(long millis) throws InterruptedException {
        return wished.await(millis, TimeUnit.MILLISECONDS);
    }

    /** The demo has stopped. */
    @Override
    public void close() {
        granted.countDown();
        if (wished.getCount() > 0) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the process began to end this moment; the hook returns at once
            }
        }
    }

    private void wishAndWait() {
        wished.countDown();
        try {
            granted.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
