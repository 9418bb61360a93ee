package dev.caravan.lab.history;

import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * A thread of a relay that waits before each statement until it may proceed. This lets one thread determine the order of the statements
 * of all relays.
 */
final class SteppedThread implements AutoCloseable {
    private static final ThreadLocal<SteppedThread> CURRENT = new ThreadLocal<>();
    private static final long LIMIT_MILLIS = 20_000;
    private static final String CLASSES_OF_A_LANE = "dev.caravan.engine.lane.";
    private static final String LOCK_OF_A_LANE = "java.util.concurrent.locks.ReentrantLock";

    private enum State {
        IDLE,
        RUNNING,
        AT_STATEMENT,
        CLOSED
    }

    private final Thread thread;
    private State state = State.IDLE;
    private Callable<?> task;
    private StatementOutcome outcome = StatementOutcome.EXECUTED;
    private int server;
    private boolean killed;

    SteppedThread(String name) {
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** The stepped thread that calls this; null for another thread. */
    static SteppedThread current() {
        return CURRENT.get();
    }

    private void run() {
        CURRENT.set(this);
        for (Callable<?> next = next(); next != null; next = next()) {
            try {
                next.call();
            } catch (Crashed | InterruptedException e) {
                // the relay was killed
            } catch (Throwable e) {
                synchronized (this) {
                    failure = killed ? null : e;
                }
            }
            ended();
        }
    }

    private Throwable failure;

    private synchronized Callable<?> next() {
        while (state != State.RUNNING && state != State.CLOSED) {
            try {
                wait();
            } catch (InterruptedException e) {
                // an interrupt that came after the end of the task
            }
        }
        return state == State.CLOSED ? null : task;
    }

    private synchronized void ended() {
        if (state != State.CLOSED) {
            state = State.IDLE;
        }
        notifyAll();
    }

    /** Called by the thread before each statement; returns what happens to it. */
    synchronized StatementOutcome await(int serverProcess) {
        if (killed) {
            return StatementOutcome.KILLED;
        }
        server = serverProcess;
        state = State.AT_STATEMENT;
        notifyAll();
        while (state == State.AT_STATEMENT) {
            try {
                wait();
            } catch (InterruptedException e) {
                return StatementOutcome.KILLED;
            }
        }
        return killed ? StatementOutcome.KILLED : outcome;
    }

    synchronized boolean isIdle() {
        return state == State.IDLE;
    }

    synchronized boolean isAtStatement() {
        return state == State.AT_STATEMENT;
    }

    /** Begins a task; the thread must be idle. */
    synchronized void begin(Callable<?> next) {
        task = next;
        state = State.RUNNING;
        notifyAll();
    }

    /** Sets the outcome of the statement before which the thread waits, and lets the thread proceed. */
    synchronized void proceed(StatementOutcome next) {
        outcome = next;
        state = State.RUNNING;
        notifyAll();
    }

    /**
     * Waits until the thread has reached its next statement or ended its task, until its statement waits for a lock, or until the thread
     * waits in the lane for an attempt to end, for time to pass, or for the tail.
     */
    synchronized void settle(HistoryDatabase database) {
        long end = System.nanoTime() + LIMIT_MILLIS * 1_000_000;
        for (int waits = 0; state == State.RUNNING; waits++) {
            await1Millisecond();
            if (waits > 1 && state == State.RUNNING && (waitsInLane() || database.waitsForLock(server))) {
                return;
            }
            if (System.nanoTime() - end > 0) {
                throw new Violation("a relay hangs at "
                        + Stream.of(thread.getStackTrace())
                                .map(Object::toString)
                                .toList());
            }
        }
        if (failure != null) {
            Throwable e = failure;
            failure = null;
            throw new IllegalStateException("A relay failed with " + e, e);
        }
    }

    private void await1Millisecond() {
        try {
            wait(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Violation("interrupted");
        }
    }

    private boolean waitsInLane() {
        Thread.State now = thread.getState();
        return (now == Thread.State.WAITING || now == Thread.State.TIMED_WAITING)
                && Stream.of(thread.getStackTrace())
                        .map(StackTraceElement::getClassName)
                        .anyMatch(name -> name.startsWith(CLASSES_OF_A_LANE) || name.equals(LOCK_OF_A_LANE));
    }

    /** Ends the current task, wherever the thread waits. */
    void kill(HistoryDatabase database) {
        synchronized (this) {
            killed = true;
            if (state == State.AT_STATEMENT) {
                proceed(StatementOutcome.KILLED);
            }
        }
        if (!awaitIdle(50)) {
            thread.interrupt();
            if (database.waitsForLock(server)) { // otherwise the session may have an open transaction of its own
                database.endSession(server);
            }
            if (!awaitIdle(LIMIT_MILLIS)) {
                throw new Violation("a killed relay hangs at "
                        + Stream.of(thread.getStackTrace())
                                .map(Object::toString)
                                .toList());
            }
        }
        synchronized (this) {
            killed = false;
            failure = null;
        }
    }

    private synchronized boolean awaitIdle(long millis) {
        long end = System.nanoTime() + millis * 1_000_000;
        while (state != State.IDLE && System.nanoTime() - end < 0) {
            await1Millisecond();
        }
        return state == State.IDLE;
    }

    @Override
    public synchronized void close() {
        state = State.CLOSED;
        notifyAll();
    }
}
