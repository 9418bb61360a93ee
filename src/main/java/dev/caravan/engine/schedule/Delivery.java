package dev.caravan.engine.schedule;

import dev.caravan.base.message.Message;
import java.time.Duration;
import java.util.function.Supplier;

/** The delivery of one message to one destination. Only its {@link Schedule} changes its state. */
public final class Delivery {
    enum State {
        /** Waits behind other messages of its key. */
        QUEUED,
        /** May start. */
        READY,
        /** An attempt is running. */
        STARTED,
        /** The attempt has ended, but counts only after all earlier messages of its key have ended. */
        ENDED
    }

    private final Message message;
    private final long bytes;
    /** The number of its entry in {@code outbox_retry}; 0 if it came from the outbox. */
    private final long entry;

    private final boolean due;
    /** Whether an earlier message of its key was in {@code outbox_retry} when it was read from there. */
    private boolean behind;
    /** Whether the subscription still selects its type. */
    private boolean selected = true;

    private boolean edited;

    private final int failedAttempts;
    private final Duration failingFor;
    State state = State.QUEUED;
    /** The queue of its key. */
    KeyQueue queue;

    Result result;
    /** Whether the last failed attempt counts against the message. */
    boolean counted;
    /** Whether it has failed as a test or a probe, or without an answer: if this did not count, another such failure does. */
    boolean nextFailureCounts;
    /** Number of ended outages at its last failure that did not count; -1 if there was none. */
    long recoveriesAtLastFailure = -1;
    /** Number of ended outages at its first failure that did not count. */
    long recoveriesAtFirstOutage = Long.MAX_VALUE;
    /** As {@link #recoveriesAtFirstOutage}, but also if it was sent in a batch. */
    long recoveriesAtFirstStop = Long.MAX_VALUE;

    /** The queue of ready deliveries that contains it; null if none does. */
    ReadyQueue readyIn;
    /** Whether its running attempt belongs to the share of messages that failed before. */
    boolean fromRetries;
    /** Whether its running attempt is a test or a probe of the destination. */
    boolean isTest;
    /** Whether its running attempt is a probe that repeats it although others could be the probe: a failure does not count. */
    boolean isRepeat;
    /** Number of such probes. */
    int repeats;
    /** Round of its last test, 0 if there was none. */
    long lastTest;
    /** Grows with each delivery that is added to the schedule. */
    long added;

    /** The largest batch in which it may be sent: smaller after each batch that failed with it. */
    int largestBatch = Integer.MAX_VALUE;
    /** Whether it was started together with an earlier message, as part of the same attempt. */
    boolean joined;
    /** Whether another message of its batch was delivered, so that its failure does not indicate an outage. */
    boolean batchPartlyDelivered;

    /** Time of its last start, in nanoseconds of the clock of the lane. */
    long startedAt;
    /** Duration of its last attempt that failed, in nanoseconds. */
    long failedAfter;
    /** Sequence number of its last start among all attempts of the schedule, from 1. */
    long startNumber;

    private int started;
    /** Returns the step of the running attempt; null while none is running. */
    private volatile Supplier<String> runningStep;

    private Delivery(Message message, long entry, boolean due, int failedAttempts, Duration failingFor) {
        this.message = message;
        bytes = message.bytes();
        this.entry = entry;
        this.due = due;
        this.failedAttempts = failedAttempts;
        this.failingFor = failingFor;
    }

    /** A message that was just read from the outbox. */
    public static Delivery fresh(Message message) {
        return new Delivery(message, 0, false, 0, Duration.ZERO);
    }

    /**
     * A message in {@code outbox_retry} that is due for another attempt.
     *
     * @param entry number of the entry, from 1
     * @param failedAttempts number of failed attempts that count
     * @param failingFor time since the first failure, zero if it has not failed
     */
    public static Delivery stored(Message message, long entry, int failedAttempts, Duration failingFor) {
        return new Delivery(message, entry, true, failedAttempts, failingFor);
    }

    /**
     * A message in {@code outbox_retry} that waited behind another one of its key.
     *
     * @param entry number of the entry, from 1
     * @param failedAttempts number of failed attempts that count, mostly 0
     * @param failingFor time since the first failure, zero if it has not failed
     */
    public static Delivery follower(Message message, long entry, int failedAttempts, Duration failingFor) {
        return new Delivery(message, entry, false, failedAttempts, failingFor);
    }

    /** Sets whether an earlier message of its key is in {@code outbox_retry}; returns this delivery. */
    public Delivery behind(boolean isBehind) {
        behind = isBehind;
        return this;
    }

    /** Whether an earlier message of its key was in {@code outbox_retry} when it was read from there. */
    public boolean isBehind() {
        return behind;
    }

    /** Sets that the subscription does not select its type any more, so that it must not be sent; returns this delivery. */
    public Delivery notSelected() {
        selected = false;
        return this;
    }

    /** Whether the subscription still selects its type. Otherwise it becomes a dead letter without being sent. */
    public boolean isSelected() {
        return selected;
    }

    /** Sets whether a person has changed its headers or payload; returns this delivery. */
    public Delivery edited(boolean isEdited) {
        edited = isEdited;
        return this;
    }

    /**
     * The same on every attempt with the content that a person has edited, and another one for other contents of this message; empty if the
     * content is that of the outbox.
     */
    public String edit() {
        return edited ? message.digest() : "";
    }

    public Message message() {
        return message;
    }

    /** Approximate size of the message in memory, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Whether it was read from {@code outbox_retry} and not from the outbox. */
    public boolean isStored() {
        return entry != 0;
    }

    /** The number of its entry in {@code outbox_retry}; 0 if it came from the outbox. */
    public long entry() {
        return entry;
    }

    /** Whether it was read from {@code outbox_retry} because it was due. */
    boolean isRetry() {
        return due;
    }

    /** Whether an attempt of it failed before: another failure does not indicate an outage. */
    boolean failedBefore() {
        return due || nextFailureCounts || failedAttempts > 0;
    }

    /** Whether no other message may be sent with it: it failed before, its attempt is a test, it is not sent, or it was edited. */
    boolean isSentAlone() {
        return largestBatch == 1 || isTest || failedBefore() || isNotSent() || edited;
    }

    /** Whether it becomes a dead letter without being sent. */
    boolean isNotSent() {
        return message.isTooLarge() || !selected;
    }

    /** Number of earlier failed attempts that count. */
    public int failedAttempts() {
        return failedAttempts;
    }

    /** Time between the first failure that counts and the read. */
    public Duration failingFor() {
        return failingFor;
    }

    /**
     * Records the start of an attempt.
     *
     * @param step returns the last endpoint to which the route has sent the message, without options, empty if there is none yet; any
     *     thread may call it. Null when the attempt has ended
     */
    public void running(Supplier<String> step) {
        runningStep = step;
    }

    /** The last endpoint to which the running attempt has sent the message; empty if it is unknown. */
    public String step() {
        Supplier<String> step = runningStep;
        return step == null ? "" : step.get();
    }

    /** Number of this attempt, from 1. */
    public int attempt() {
        return failedAttempts + Math.max(1, started);
    }

    /** Whether the failed attempt counts; it does not while the destination may be the cause. */
    public boolean isCounted() {
        return counted;
    }

    /** The failure of the last attempt; null if it did not fail. */
    public Failure failure() {
        return result == null ? null : result.failure();
    }

    /** Duration of the last attempt, if it failed. */
    public Duration failedAfter() {
        return Duration.ofNanos(failedAfter);
    }

    void start() {
        state = State.STARTED;
        result = null;
        started++;
    }

    void failedInOutage(long recoveries) {
        recoveriesAtLastFailure = recoveries;
        recoveriesAtFirstOutage = Math.min(recoveriesAtFirstOutage, recoveries);
    }

    boolean isReadyIn(ReadyQueue queue) {
        return state == State.READY && readyIn == queue;
    }

    /** Whether it must not start yet: it is not in {@code outbox_retry}, and its id is not lower than this one. */
    boolean isGated(long below) {
        return !isStored() && message.id() >= below;
    }

    boolean hasStarted() {
        return state == State.STARTED || state == State.ENDED;
    }

    boolean ended(Outcome outcome) {
        return state == State.ENDED && result.outcome() == outcome;
    }
}
