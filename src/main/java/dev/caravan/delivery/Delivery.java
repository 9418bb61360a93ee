package dev.caravan.delivery;

import java.time.Duration;

/** One message on its way to one destination. Its state belongs to the {@link Schedule} that handed it out. */
public final class Delivery {
    enum State {
        /** Waits for its turn. */
        QUEUED,
        /** May start. */
        READY,
        /** Is being sent. */
        STARTED,
        /** Has ended as its result says, and waits for earlier messages of its key before that counts. */
        ENDED
    }

    private final Message message;
    /** The number of its entry in {@code outbox_retry}; 0 if it came from the outbox. */
    private final long entry;

    private final boolean tried;
    private final int failedAttempts;
    private final Duration failingFor;
    State state = State.QUEUED;
    /** Where it stands in the schedule. */
    KeyQueue queue;

    Result result;
    /** Whether the last failed attempt counts against the message. */
    boolean counted;
    /** Whether it has failed as a test or a probe, which does not count because the destination may be to blame. */
    boolean spared;
    /** How often the destination had come back when this message last failed without being to blame; negative if it never did. */
    long recoveriesAtLastFailure = -1;
    /** How often the destination had come back when this message first found it away. */
    long recoveriesAtFirstOutage = Long.MAX_VALUE;

    /** The queue that holds its place among those that may start; null if none does. */
    ReadyQueue readyIn;
    /** Whether it was started as one that failed before, of which only a share is started. */
    boolean fromRetries;
    /** Whether it was started to test or probe the destination. */
    boolean isTest;
    /** Round of its last test, 0 if there was none. */
    long lastTest;

    /** Its last attempt was so manyth to start, from 1. */
    long startNumber;

    private int started;

    private Delivery(Message message, long entry, boolean tried, int failedAttempts, Duration failingFor) {
        this.message = message;
        this.entry = entry;
        this.tried = tried;
        this.failedAttempts = failedAttempts;
        this.failingFor = failingFor;
    }

    /** A message that was just read from the outbox. */
    public static Delivery fresh(Message message) {
        return new Delivery(message, 0, false, 0, Duration.ZERO);
    }

    /**
     * A message that waits in {@code outbox_retry} for another attempt, whose time has come.
     *
     * @param entry number of the entry, from 1
     * @param failedAttempts how many attempts have failed and were counted
     * @param failingFor time since the first failure, zero if it has not failed
     */
    public static Delivery stored(Message message, long entry, int failedAttempts, Duration failingFor) {
        return new Delivery(message, entry, true, failedAttempts, failingFor);
    }

    /**
     * A message that waits in {@code outbox_retry} behind another one of its key.
     *
     * @param entry number of the entry, from 1
     * @param failedAttempts how many attempts have failed and were counted, mostly none
     * @param failingFor time since the first failure, zero if it has not failed
     */
    public static Delivery follower(Message message, long entry, int failedAttempts, Duration failingFor) {
        return new Delivery(message, entry, false, failedAttempts, failingFor);
    }

    public Message message() {
        return message;
    }

    /** Whether it comes from {@code outbox_retry} and not from the outbox. */
    public boolean isStored() {
        return entry != 0;
    }

    /** The number of its entry in {@code outbox_retry}; 0 if it came from the outbox. */
    public long entry() {
        return entry;
    }

    /** Whether it came from {@code outbox_retry} because its time had come. */
    boolean isRetry() {
        return tried;
    }

    /** Whether an attempt of it failed before: what it does now says nothing about the destination. */
    boolean failedBefore() {
        return tried || spared || failedAttempts > 0;
    }

    /** How many attempts before this one have failed and were counted. */
    public int failedAttempts() {
        return failedAttempts;
    }

    /** Time since the first counted failure, as of the moment it was read. */
    public Duration failingFor() {
        return failingFor;
    }

    /** Which attempt this is, from 1. */
    public int attempt() {
        return failedAttempts + Math.max(1, started);
    }

    /** Whether the failed attempt counts: not while the destination may be to blame. */
    public boolean isCounted() {
        return counted;
    }

    /** Why it failed; null unless it did. */
    public Failure failure() {
        return result == null ? null : result.failure();
    }

    void start() {
        state = State.STARTED;
        result = null;
        started++;
    }

    void foundUnavailable(long recoveries) {
        recoveriesAtLastFailure = recoveries;
        recoveriesAtFirstOutage = Math.min(recoveriesAtFirstOutage, recoveries);
    }

    boolean isReadyIn(ReadyQueue queue) {
        return state == State.READY && readyIn == queue;
    }

    /** Whether it is fresh and may not start yet because something below this id is missing. */
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
