package dev.caravan.engine.schedule;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether a destination is available. It is unavailable when it reports so, or when many messages fail and a few test messages
 * fail too. An unavailable destination is probed after 1 s; the delay doubles after each failed probe, up to 30 s. A longer
 * {@code Retry-After} of the destination replaces the delay.
 *
 * <p>Many first attempts that fail in a row only raise a suspicion: nothing else starts until a few messages from other parts of
 * the backlog are tested. If one of them is delivered, the failures are caused by the messages and not by the destination, and
 * the next suspicion needs twice as many failures. Attempts of messages that failed before are not counted.
 */
public final class Availability {
    private enum State {
        AVAILABLE,
        SUSPECTED,
        UNAVAILABLE
    }

    private static final Duration FIRST_PROBE = Duration.ofSeconds(1);
    /** Longest delay between probes that the destination has not requested. */
    static final Duration LONGEST_PROBE = Duration.ofSeconds(30);

    /** Number of first attempts that fail in a row, without a success, and raise a suspicion. */
    static final int SUSPICIOUS_FAILURES = 20;
    /** Number of messages that test a suspicion, or that probe a destination whose unavailability is inferred from failures. */
    public static final int TEST_MESSAGES = 5;
    /** The last two of so many probes repeat messages that failed before: the destination may accept only later attempts. */
    private static final int PROBES_UNTIL_REPEATS = TEST_MESSAGES - 2;
    /**
     * Limit of the failures for a suspicion. In an outage after refuted suspicions, the failed attempts of up to this number of
     * messages count.
     */
    static final int MAX_SUSPICIOUS_FAILURES = 320;
    /** After each such period without a refuted suspicion, half as many failures raise the next one. */
    private static final long HALVING_NANOS = Duration.ofMinutes(1).toNanos();

    /** Volatile: other threads read it too. */
    private volatile State state = State.AVAILABLE;

    /** Volatile: other threads read it too. */
    private volatile int refutations;

    private int neededFailures = SUSPICIOUS_FAILURES;
    private long refutedAt;
    private int failuresInRow;
    /** Start number of the first of these failures. */
    private long firstStart;
    /** Attempts that started before that one and are still running: they may succeed. */
    private long earlierRunning;
    /** Keys of these failures. */
    private final Set<Object> suspects = new HashSet<>();

    private String firstReason;
    private boolean reasonsDiffer;
    private boolean testedTwice;

    /** Number of the last group of messages that test or probe together. */
    private long round;

    private int testsLeft;
    private int failuresWhileSuspected;

    private long unavailableSince;
    private long nextProbeAt;
    private int probes;
    /** Messages of the current outage that were sent as a probe. */
    private long probeMessages;

    private boolean inferred;
    /** Whether the receiver may have accepted the message of the last failure: it was sent, and not answered. */
    private boolean mayHaveArrived;

    private int inferredProbes;

    private long recoveries;
    /** Whether a repeat ended the last outage: the next one probably ends like this too, so its first probes are repeats. */
    private boolean acceptsLaterAttempts;

    /** Whether only tests and probes start. */
    public boolean isTesting() {
        return state != State.AVAILABLE;
    }

    boolean isSuspected() {
        return state == State.SUSPECTED;
    }

    /** Whether one more message may start as a test or a probe; begins the next round if a probe is due. */
    boolean testMayStart(long now, int started) {
        if (state == State.UNAVAILABLE && started == 0 && nextProbeAt - now <= 0) {
            beginRound(inferred ? TEST_MESSAGES : 1);
        }
        return testsLeft > 0;
    }

    private void beginRound(int messages) {
        round++;
        testsLeft = messages;
    }

    /** Counts the start of a test or a probe; returns the number of its round. */
    long testStarts() {
        testsLeft--;
        probeMessages++;
        return round;
    }

    /** Whether a message that was last tested in this round may be tested again: in a later round only. */
    boolean mayTest(long lastRound) {
        return lastRound < round;
    }

    /**
     * Whether the next probe repeats a message that failed before: the last two of five, unless the receiver of the last message
     * may have accepted it.
     */
    boolean repeats() {
        return isUnavailable() && !mayHaveArrived && probeMessages % TEST_MESSAGES >= PROBES_UNTIL_REPEATS;
    }

    /** Whether that is the message that was repeated most, so that its later attempts are soon made. */
    boolean repeatsMost() {
        return probeMessages % TEST_MESSAGES > PROBES_UNTIL_REPEATS;
    }

    /** Whether a message of this key is among the failures that raised the suspicion. */
    boolean isSuspect(Object key) {
        return suspects.contains(key);
    }

    /**
     * Counts a delivered message: the destination is available.
     *
     * @param isRepeat whether it was a probe that failed before, although others could have been the probe. If it ends an inferred
     *     outage, the first attempts of messages may fail again, and the next suspicion needs more of them
     */
    void delivered(long now, boolean isRepeat) {
        if (failuresInRow > 0) {
            failuresInRow = 0;
            suspects.clear();
        }
        if (state == State.AVAILABLE) {
            return;
        }
        if (state == State.SUSPECTED || inferred && isRepeat) {
            neededFailures = Math.min(2 * neededFailures(now), MAX_SUSPICIOUS_FAILURES);
            refutedAt = now;
        }
        if (state == State.UNAVAILABLE) {
            recoveries++;
            acceptsLaterAttempts = isRepeat;
            probes = 0;
            inferredProbes = 0;
        } else {
            refutations = refutations + 1;
        }
        testsLeft = 0;
        state = State.AVAILABLE;
    }

    /**
     * Counts an attempt that found the destination unavailable.
     *
     * @param retryAfter the delay that the destination requested; zero if it requested none
     */
    void unavailable(long now, Duration retryAfter) {
        inferred = false;
        mayHaveArrived = false;
        testsLeft = 0;
        waitForProbe(now, retryAfter);
    }

    /**
     * Counts a failed attempt whose failure may be caused by the message.
     *
     * @param delivery the message that was attempted
     * @param isEvidence whether the failure may indicate an outage
     * @param rejected whether the destination rejected this message, which indicates a bad message
     * @param earlier attempts that started before this one and are still running. A rejected message may fail at once while
     *     earlier ones still wait for their answers: such failures do not indicate an outage
     * @return whether the attempt counts: the first failure of a message does not count while the destination may be the cause
     */
    boolean failed(long now, Delivery delivery, boolean isEvidence, boolean rejected, Failure failure, long earlier) {
        mayHaveArrived = !failure.isAnswered();
        boolean failedBefore = delivery.failedBefore() && (!delivery.isRepeat || mayHaveArrived);
        if (state == State.UNAVAILABLE) {
            inferred = true;
            waitForProbe(now, Duration.ZERO);
            return failedBefore;
        }
        if (state == State.SUSPECTED) {
            if (!failedBefore) {
                failuresWhileSuspected++;
            }
            reasonsDiffer |= delivery.isTest && (rejected || !failure.reason().equals(firstReason));
            return failedBefore;
        }
        if (isEvidence) {
            if (failuresInRow++ == 0) {
                earlierRunning = earlier;
                firstStart = delivery.startNumber;
                firstReason = failure.reason();
            } else if (delivery.startNumber < firstStart) {
                earlierRunning--;
            }
            suspects.add(delivery.queue.key());
            if (failuresInRow >= neededFailures(now) + earlierRunning) {
                suspect();
            }
        }
        return true;
    }

    /**
     * Records that an attempt of several messages failed, and it is not known for which of them. This does not show whether the
     * destination is available.
     */
    void failedTogether(long startNumber) {
        if (failuresInRow > 0 && startNumber < firstStart) {
            earlierRunning--;
        }
    }

    /** Records that a message was not sent, which shows nothing about the destination: another one may be the test in its place. */
    void notSent(Delivery delivery) {
        failedTogether(delivery.startNumber);
        if (delivery.isTest && state == State.SUSPECTED) {
            testsLeft++;
        }
    }

    private int neededFailures(long now) {
        long halvings = Math.min((now - refutedAt) / HALVING_NANOS, 30);
        return Math.max(SUSPICIOUS_FAILURES, neededFailures >> halvings);
    }

    private void suspect() {
        state = State.SUSPECTED;
        reasonsDiffer = false;
        testedTwice = false;
        failuresWhileSuspected = 0;
        beginRound(TEST_MESSAGES);
    }

    /** Whether all tests of the round have started. */
    boolean isTestComplete() {
        return testsLeft == 0;
    }

    /** Whether a message that had not failed before failed during the suspicion. */
    boolean hasFailedTest() {
        return failuresWhileSuspected > 0;
    }

    /** Counts a round in which all tests failed. Different reasons, and rejected messages, require a second round. */
    void testsFailed(long now) {
        if (reasonsDiffer && !testedTwice && testsLeft == 0) {
            testedTwice = true;
            beginRound(TEST_MESSAGES);
        } else {
            inferred = true;
            waitForProbe(now, Duration.ZERO);
        }
    }

    /** Schedules the next probe. Failures of messages that ran at the same time count as one failed probe. */
    private void waitForProbe(long now, Duration retryAfter) {
        boolean wasUnavailable = state == State.UNAVAILABLE;
        if (!wasUnavailable || nextProbeAt - now <= 0) {
            if (!wasUnavailable) {
                unavailableSince = now;
                testsLeft = 0;
                probeMessages = acceptsLaterAttempts ? PROBES_UNTIL_REPEATS : 0;
                state = State.UNAVAILABLE;
            }
            inferredProbes += inferred ? 1 : 0;
            Duration doubled = FIRST_PROBE.multipliedBy(1L << Math.min(probes++, 10));
            nextProbeAt = now + Math.min(doubled.toNanos(), LONGEST_PROBE.toNanos());
        }
        if (now + retryAfter.toNanos() - nextProbeAt > 0) {
            nextProbeAt = now + retryAfter.toNanos();
        }
    }

    /** Time until a probe may start, in nanoseconds; 0 if it may start now, or if no probe is needed. */
    public long untilNextProbe(long now) {
        return isUnavailable() ? Math.max(0, nextProbeAt - now) : 0;
    }

    /** Whether the destination is unavailable. */
    public boolean isUnavailable() {
        return state == State.UNAVAILABLE;
    }

    /** Whether the unavailability is inferred from failed messages and not reported by the destination. */
    public boolean isInferred() {
        return isUnavailable() && inferred;
    }

    /** Failed probes for which the destination did not report that it is unavailable; 0 while it is available. */
    public int inferredProbes() {
        return inferredProbes;
    }

    /** Refuted suspicions: many messages failed in a row, but the destination accepted others. */
    public int refutations() {
        return refutations;
    }

    /** Start of the outage, by the monotonic clock; undefined while the destination is available. */
    long unavailableSince() {
        return unavailableSince;
    }

    /** Number of outages that have ended. */
    long recoveries() {
        return recoveries;
    }
}
