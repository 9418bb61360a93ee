package dev.caravan.lab.demo;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Spreads the messages of several threads evenly over time. */
final class EvenPace {
    private final double nanosPerMessage;
    private long nextNanos = System.nanoTime();

    /** @param messagesPerSecond 0 means as fast as possible */
    EvenPace(int messagesPerSecond) {
        nanosPerMessage = messagesPerSecond == 0 ? 0 : (double) TimeUnit.SECONDS.toNanos(1) / messagesPerSecond;
    }

    /** Waits until this many messages may be written. Returns early when interrupted. */
    void await(int messages) {
        if (nanosPerMessage > 0) {
            LockSupport.parkNanos(reserve(messages) - System.nanoTime());
        }
    }

    private synchronized long reserve(int messages) {
        long mine = Math.max(nextNanos, System.nanoTime());
        nextNanos = mine + (long) (messages * nanosPerMessage);
        return mine;
    }
}
