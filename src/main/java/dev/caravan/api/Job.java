package dev.caravan.api;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Work on many messages that goes on after its request was answered. Asked by many threads, told by the one that works. */
final class Job {
    /** What a job is about; two that are equal do the same. */
    record Task(String action, Optional<String> subscription, Map<String, Object> details) {}

    /** How it is. */
    enum State {
        RUNNING,
        DONE,
        CANCELLED,
        FAILED
    }

    private final long id;
    private final Task task;
    private final Instant startedAt = Instant.now();
    private volatile boolean goOn = true;
    private OptionalLong total = OptionalLong.empty();
    private long done;
    private State state = State.RUNNING;
    private Optional<String> note = Optional.empty();
    private Optional<Instant> endedAt = Optional.empty();

    Job(long id, Task task) {
        this.id = id;
        this.task = task;
    }

    long id() {
        return id;
    }

    Task task() {
        return task;
    }

    /** Asked by the work between two steps. */
    boolean goesOn() {
        return goOn;
    }

    void cancel() {
        goOn = false;
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

    /** What it waits for, until it ends. */
    synchronized void waitsFor(String what) {
        note = Optional.of(what).filter(text -> !text.isEmpty());
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
        fields.put("state", state.name().toLowerCase(Locale.ROOT));
        fields.put("waitsFor", state == State.RUNNING ? note.orElse(null) : null);
        fields.put("error", state == State.RUNNING ? null : note.orElse(null));
        fields.put("startedAt", startedAt.toString());
        fields.put("endedAt", endedAt.map(Instant::toString).orElse(null));
        return fields;
    }

    /** Its details may name a key. */
    @Override
    public String toString() {
        return "job " + id + " (" + task.action() + ")";
    }
}
