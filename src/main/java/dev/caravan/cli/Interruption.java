package dev.caravan.cli;

import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.camel.util.function.ThrowingRunnable;

/**
 * Handles Ctrl-C: the command finishes its current chunk and reports what it has done before the process ends. The process
 * waits a limited time for that, in case the database does not answer or no input comes.
 */
final class Interruption implements AutoCloseable {
    /** The exit code of an interrupted command: 128 + SIGINT. */
    static final int EXIT = 130;

    private static final int LONGEST_WAIT_SECONDS = 10;

    private final int longestWaitSeconds;
    private final Runnable late;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "interrupt-command");
    private volatile boolean interrupted;
    private volatile boolean asking;

    Interruption() {
        this(LONGEST_WAIT_SECONDS, () -> {});
    }

    /** @param late runs if the command has not ended within this time, and reports its result */
    Interruption(int longestWaitSeconds, Runnable late) {
        this.longestWaitSeconds = longestWaitSeconds;
        this.late = late;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** False after Ctrl-C. */
    boolean mayContinue() {
        return !interrupted;
    }

    /** Runs a step. Ctrl-C waits until the step has ended. Does nothing after Ctrl-C. */
    synchronized void unlessInterrupted(ThrowingRunnable<SQLException> step) throws SQLException {
        if (!interrupted) {
            step.run();
        }
    }

    /** Asks a question. Nothing is being changed meanwhile, so Ctrl-C ends the process at once. */
    boolean ask(BooleanSupplier question) {
        asking = true;
        try {
            return question.getAsBoolean();
        } finally {
            asking = false;
        }
    }

    private void interrupt() {
        synchronized (this) {
            interrupted = true;
        }
        if (asking) {
            return;
        }
        try {
            if (!ended.await(longestWaitSeconds, TimeUnit.SECONDS)) {
                late.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Must be called after the command has reported its result. */
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
