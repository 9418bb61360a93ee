package dev.caravan.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Handles Ctrl-C: the command finishes its current chunk and reports what it has done before the process ends. The process
 * waits at most 10 s for that, in case the database does not answer.
 */
final class Interruption implements AutoCloseable {
    /** The exit code of an interrupted command: 128 + SIGINT. */
    static final int EXIT = 130;

    private static final int LONGEST_WAIT_SECONDS = 10;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "interrupt-command");
    private volatile boolean interrupted;
    private volatile boolean asking;

    Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** False after Ctrl-C. */
    boolean mayContinue() {
        return !interrupted;
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

    /** Call when the command has reported its result. */
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
