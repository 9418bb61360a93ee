package dev.caravan.console.api;

import dev.caravan.base.clock.Clock;
import dev.caravan.operate.failed.ChangePace;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A change of many messages that runs in the background. One thread runs it; request threads read its state. Thread-safe. While it waits for
 * its pace, or for something else, it holds no other job up.
 */
final class Job implements ChangePace.Time {
    /** The work of a job. Jobs with equal tasks must not run at the same time. */
    record Task(String action, Optional<String> subscription, Map<String, Object> details) {}

    /** The state of a job. */
    enum State {
        RUNNING,
        DONE,
        CANCELLED,
        FAILED
    }

    private final long id;
    private final Task task;
    private final Semaphore working;
    private final Instant startedAt = Instant.now();
    private volatile boolean cancelled;
    private volatile boolean stopped;
    private OptionalLong total = OptionalLong.empty();
    private long done;
    private State state = State.RUNNING;
    private Optional<UUID> discard = Optional.empty();
    private Optional<String> note = Optional.empty();
    private Optional<String> continuation = Optional.empty();
    private Optional<Instant> endedAt = Optional.empty();

    /** @param working limits the jobs that work at the same time */
    Job(long id, Task task, Semaphore working) {
        this.id = id;
        this.task = task;
        this.working = working;
    }

    /** Runs the work as soon as fewer jobs work than may work at the same time. */
    <T> T work(Callable<T> work) throws Exception {
        working.acquire();
        try {
            return work.call();
        } finally {
            working.release();
        }
    }

    @Override
    public long nanos() {
        return Clock.SYSTEM.nanos();
    }

    /** Called by the work: waits, and lets another job work meanwhile. */
    @Override
    public void pass(long nanos) throws InterruptedException {
        working.release();
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } finally {
            working.acquireUninterruptibly();
        }
    }

    long id() {
        return id;
    }

    Task task() {
        return task;
    }

    /** False after {@link #cancel} and {@link #stop}. The work checks it between two steps. */
    boolean mayContinue() {
        return !cancelled && !stopped;
    }

    /** Whether a person has cancelled the job. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Ends the job because the relay stops. */
    void stop() {
        stopped = true;
    }

    void cancel() {
        cancelled = true;
    }

    synchronized boolean isRunning() {
        return state == State.RUNNING;
    }

    synchronized void total(long messages) {
        total = OptionalLong.of(messages);
    }

    synchronized void done(long messages) {
        done = messages;
    }

    /** Sets the id of the discard that this job makes. */
    synchronized void discard(UUID id) {
        discard = Optional.of(id);
    }

    /** Sets what the job waits for; an empty text means nothing. */
    synchronized void waitsFor(String condition) {
        note = Optional.of(condition).filter(text -> !text.isEmpty());
    }

    /** Sets the sentences that say what continues after the job has failed. */
    synchronized void continuation(String text) {
        continuation = Optional.of(text);
    }

    synchronized Optional<String> continuation() {
        return continuation;
    }

    synchronized void end(State end, Optional<String> error) {
        state = end;
        note = error;
        endedAt = Optional.of(Instant.now());
    }

    synchronized Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", id);
        fields.put("action", task.action());
        fields.put("subscription", task.subscription().orElse(null));
        fields.put("details", task.details());
        fields.put("total", total.isPresent() ? total.getAsLong() : null);
        fields.put("done", done);
        fields.put("discard", discard.map(UUID::toString).orElse(null));
        fields.put("state", state.name().toLowerCase(Locale.ROOT));
        fields.put("waitsFor", state == State.RUNNING ? note.orElse(null) : null);
        fields.put("error", state == State.RUNNING ? null : note.orElse(null));
        fields.put("startedAt", startedAt.toString());
        fields.put("endedAt", endedAt.map(Instant::toString).orElse(null));
        return fields;
    }

    /** Does not contain the details, which may name a key. */
    @Override
    public String toString() {
        return "job " + id + " (" + task.action() + ")";
    }
}
