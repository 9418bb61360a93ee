package dev.caravan.delivery;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * Whether a destination can be sent to. It is unavailable when it says so, or when messages fail and none of a few others gets
 * through. While it is unavailable it is probed, after 1 s and then after twice as long each time up to 30 s, or when the
 * destination said to come back.
 *
 * <p>Many first attempts that fail in a row raise a suspicion only: nothing else starts until a few messages from elsewhere in
 * the backlog are tested. If one of them arrives, the messages are bad and not the destination, and it takes twice as many
 * failures to raise the next suspicion. Attempts of messages that failed before say nothing.
 */
public final class Availability {
    private enum State {
        AVAILABLE,
        SUSPECTED,
        UNAVAILABLE
    }

    private static final Duration FIRST_PROBE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(30);
    /** So many first attempts that fail in a row, without a success, raise a suspicion. */
    static final int SUSPICIOUS_FAILURES = 20;
    /** So many messages test a suspicion, and are one probe of a destination that only failures say is unavailable. */
    public static final int TEST_MESSAGES = 5;
    /** A refuted suspicion doubles the failures for the next one up to here: an outage after that costs so many messages an attempt. */
    static final int MOST_SUSPICIOUS_FAILURES = 320;
    /** So long after a refuted suspicion half of the failures are enough again. */
    private static final long FORGETTING_NANOS = Duration.ofMinutes(1).toNanos();

    /** Volatile: asked from other threads too. */
    private volatile State state = State.AVAILABLE;

    /** Volatile: asked from other threads too. */
    private volatile int refutations;

    private int neededFailures = SUSPICIOUS_FAILURES;
    private long refutedAt;
    private int failuresInRow;
    /** When the first failure in the row was started. */
    private long firstStart;
    /** How many attempts that started before that one are still on their way: they may succeed. */
    private long earlierRunning;
    /** Keys of the failures in the row. */
    private final Set<Object> suspects = new HashSet<>();

    private String firstAnswer;
    private boolean answersDiffer;
    private boolean testedTwice;

    /** Number of the last group of messages that were to test or probe together. */
    private long round;

    private int testsLeft;
    private int failuresWhileSuspected;

    private long unavailableSince;
    private long nextProbeAt;
    private int probes;
    private boolean inferred;
    private int inferredProbes;

    private long recoveries;

    /** Whether nothing starts but tests and probes. */
    boolean isTesting() {
        return state != State.AVAILABLE;
    }

    boolean isSuspected() {
        return state == State.SUSPECTED;
    }

    /** Whether one more message may start as a test or a probe; begins the next round when it is time. */
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

    /** A test or a probe starts; returns the number of its round. */
    long testStarts() {
        testsLeft--;
        return round;
    }

    /** Whether a message that was last tested in a round may be tested again: in the next round at the earliest. */
    boolean mayTest(long lastRound) {
        return lastRound < round;
    }

    /** Whether a message of this key is among the failures that raised the suspicion. */
    boolean isSuspect(Object key) {
        return suspects.contains(key);
    }

    /** The destination took a message. */
    void answered(long now) {
        if (failuresInRow > 0) {
            failuresInRow = 0;
            suspects.clear();
        }
        if (state == State.AVAILABLE) {
            return;
        }
        if (state == State.UNAVAILABLE) {
            recoveries++;
            probes = 0;
            inferredProbes = 0;
        } else {
            neededFailures = Math.min(2 * neededFailures(now), MOST_SUSPICIOUS_FAILURES);
            refutedAt = now;
            refutations = refutations + 1;
        }
        testsLeft = 0;
        state = State.AVAILABLE;
    }

    /** The destination cannot be reached or wants to be left alone. */
    void unavailable(long now, Duration retryAfter) {
        inferred = false;
        testsLeft = 0;
        waitForProbe(now, retryAfter);
    }

    /**
     * An attempt failed for a reason that may be the message's.
     *
     * @param delivery whose attempt it was
     * @param isEvidence whether the failure may speak against the destination
     * @param poison whether the destination refused this message: that speaks for a bad message
     * @param earlier how many attempts that started before it are still on their way. Poison may fail at once, while the answers
     *     to those before it are waited for: such failures say nothing about the destination
     * @return whether to count it against the message: its first failure does not count while the destination may be to blame
     */
    boolean failed(long now, Delivery delivery, boolean isEvidence, boolean poison, String answer, long earlier) {
        boolean failedBefore = delivery.failedBefore();
        if (state == State.UNAVAILABLE) {
            inferred = true;
            waitForProbe(now, Duration.ZERO);
            return failedBefore;
        }
        if (state == State.SUSPECTED) {
            if (!failedBefore) {
                failuresWhileSuspected++;
            }
            answersDiffer |= delivery.isTest && (poison || !answer.equals(firstAnswer));
            return failedBefore;
        }
        if (isEvidence) {
            if (failuresInRow++ == 0) {
                earlierRunning = earlier;
                firstStart = delivery.startNumber;
                firstAnswer = answer;
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

    private int neededFailures(long now) {
        long halvings = Math.min((now - refutedAt) / FORGETTING_NANOS, 30);
        return Math.max(SUSPICIOUS_FAILURES, neededFailures >> halvings);
    }

    private void suspect() {
        state = State.SUSPECTED;
        answersDiffer = false;
        testedTwice = false;
        failuresWhileSuspected = 0;
        beginRound(TEST_MESSAGES);
    }

    /** Whether the suspicion can be judged when the tests on their way have ended. */
    boolean isTestComplete() {
        return testsLeft == 0;
    }

    /** Whether some message failed while the destination was suspected. */
    boolean hasFailedTest() {
        return failuresWhileSuspected > 0;
    }

    /** None of the tests arrived, and all have ended. Answers that differ, or that refuse messages, need a second test. */
    void testsFailed(long now) {
        if (answersDiffer && !testedTwice && testsLeft == 0) {
            testedTwice = true;
            beginRound(TEST_MESSAGES);
        } else {
            inferred = true;
            waitForProbe(now, Duration.ZERO);
        }
    }

    /** Failures of messages that were on their way together are one failed probe. */
    private void waitForProbe(long now, Duration retryAfter) {
        boolean wasUnavailable = state == State.UNAVAILABLE;
        if (!wasUnavailable || nextProbeAt - now <= 0) {
            if (!wasUnavailable) {
                unavailableSince = now;
                testsLeft = 0;
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

    /** How long nothing may start, in nanoseconds; 0 if something may. */
    public long untilNextProbe(long now) {
        return isUnavailable() ? Math.max(0, nextProbeAt - now) : 0;
    }

    /** Whether it is unavailable. */
    public boolean isUnavailable() {
        return state == State.UNAVAILABLE;
    }

    /** Whether only failures of messages say that it is unavailable, and not the destination. */
    boolean isInferred() {
        return isUnavailable() && inferred;
    }

    /** How many probes have failed without the destination saying that it is unavailable; 0 when it is available. */
    public int inferredProbes() {
        return inferredProbes;
    }

    /** How often many messages failed in a row while the destination took others. */
    public int refutations() {
        return refutations;
    }

    /** Since when it is away; without meaning while it is not. */
    long unavailableSince() {
        return unavailableSince;
    }

    /** How often the destination has come back. */
    long recoveries() {
        return recoveries;
    }
}
