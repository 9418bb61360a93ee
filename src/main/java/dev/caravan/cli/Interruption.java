package dev.caravan.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Ctrl-C: lets the chunk at work finish, so that what was done can be said. A database that hangs is not waited for. */
final class Interruption implements AutoCloseable {
    static final int EXIT = 130;
    private static final int LONGEST_WAIT_SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "interrupt-command");
    private volatile boolean interrupted;
    private volatile boolean asking;

    Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    boolean goOn() {
        return !interrupted;
    }

    /** While a person is asked nothing is at work, and Ctrl-C ends the process at once. */
    boolean ask(BooleanSupplier question) {
        asking = true;
        try {
            return question.getAsBoolean();
        } finally {
            asking = false;
        }
    }

    private void interrupt() {
        interrupted = true;
        if (asking) {
            return;
        }
        try {
            ended.await(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Everything is said. */
    @Override
    public void close() {
        ended.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the hook is running and ends the process
        }
    }
}
