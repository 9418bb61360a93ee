package dev.caravan.engine.schedule;

import java.util.Comparator;
import java.util.SplittableRandom;

/**
 * Chooses the messages that test a suspicion or probe a destination: alternately the newest and a random one. Keys without a
 * failure come first, then keys with one, then the messages whose last test is oldest. Only the first message of each key
 * qualifies.
 *
 * <p>Some probes are messages that failed before although others have not: a destination may refuse first attempts and accept
 * later ones. A message is such a probe only a few times. One that a person has retried is the next of these probes.
 */
final class TestChoice {
    private static final int UNTESTED = 0;
    private static final int OF_A_SUSPECT_KEY = 1;
    private static final int TESTED_OR_FAILED = 2;
    /** The latest comes first of those that were read from {@code outbox_retry}: a person may have retried it. */
    private static final Comparator<Delivery> OLDEST_TEST = Comparator.<Delivery>comparingLong(each -> each.lastTest)
            .thenComparing(
                    Comparator.<Delivery>comparingLong(each -> each.added).reversed());

    private static final Comparator<Delivery> MOST_REPEATED = Comparator.<Delivery>comparingInt(each -> -each.repeats)
            .thenComparingLong(each -> each.lastTest)
            .thenComparingLong(each -> each.added);

    /** Number of probes that repeat a message and whose failure does not count: it may have arrived each time. */
    static final int MAX_REPEATS = 5;

    private final Availability availability;
    private final Iterable<KeyQueue> queues;
    private final RunningAttempts running;
    private final SplittableRandom random = new SplittableRandom(1);
    private boolean newest;

    private Delivery best;
    private int rankOfBest;
    /** Number of candidates with the best rank so far. */
    private int ties;
    /** The best message that failed before or waited in {@code outbox_retry}, if the next probe is to be such a message. */
    private Delivery bestAgain;

    TestChoice(Availability availability, Iterable<KeyQueue> queues, RunningAttempts running) {
        this.availability = availability;
        this.queues = queues;
        this.running = running;
    }

    /** The next message to start as a test or a probe, or null if none may start now. */
    Delivery next(long now, long below) {
        Delivery test = availability.testMayStart(now, running.messages()) ? choose(below) : null;
        if (test != null) {
            running.test(test);
            test.isRepeat = test == bestAgain && isTestedOrFailed(test);
            test.repeats += test.isRepeat ? 1 : 0;
            test.lastTest = availability.testStarts();
        }
        return test;
    }

    /** Whether a suspicion can only be tested with messages that failed before, after {@link #next} has found no other. */
    boolean hasNothingToTest() {
        return availability.isSuspected() && running.tests() == 0 && !availability.hasFailedTest();
    }

    /** Resolves a suspicion after all tests, or after fewer if no other message can be tested. */
    void judgeSuspicion(long now) {
        boolean allTestsEnded = availability.isSuspected() && running.tests() == 0 && availability.hasFailedTest();
        if (allTestsEnded
                && (availability.isTestComplete() || running.messages() == 0 && choose(Long.MAX_VALUE) == null)) {
            availability.testsFailed(now);
        }
    }

    /**
     * The best message for a test, or null if there is none. During a suspicion, a message that failed before is not a valid
     * test. Visits every key, which is acceptable because failures are rare.
     *
     * @param below fresh messages at or above this id may not start
     */
    private Delivery choose(long below) {
        best = null;
        bestAgain = null;
        newest = !newest;
        for (KeyQueue queue : queues) {
            Delivery candidate = queue.firstReady();
            if (candidate != null && availability.mayTest(candidate.lastTest) && !candidate.isGated(below)) {
                consider(candidate, rank(candidate));
                considerAgain(candidate);
            }
        }
        if (best != null && rankOfBest == TESTED_OR_FAILED) {
            bestAgain = null; // all have failed before: further failures count
        }
        return bestAgain == null ? best : bestAgain;
    }

    private void considerAgain(Delivery candidate) {
        boolean most = availability.repeatsMost();
        boolean oldest = availability.repeatsOldest();
        boolean isNew = oldest && candidate.isStored() && candidate.lastTest == 0;
        boolean qualifies = (most || oldest)
                && candidate.repeats < MAX_REPEATS
                && (isNew || isTestedOrFailed(candidate))
                && (candidate.failure() == null || !candidate.failure().mayHaveArrived());
        if (qualifies
                && (bestAgain == null || (most ? MOST_REPEATED : OLDEST_TEST).compare(candidate, bestAgain) < 0)) {
            bestAgain = candidate;
        }
    }

    private int rank(Delivery candidate) {
        if (isTestedOrFailed(candidate)) {
            return TESTED_OR_FAILED;
        }
        return availability.isSuspect(candidate.queue.key()) ? OF_A_SUSPECT_KEY : UNTESTED;
    }

    private boolean isTestedOrFailed(Delivery candidate) {
        return candidate.failedBefore() || candidate.recoveriesAtLastFailure == availability.recoveries();
    }

    private void consider(Delivery candidate, int rank) {
        if (availability.isSuspected() && rank > OF_A_SUSPECT_KEY) {
            return;
        }
        if (best == null || rank < rankOfBest) {
            best = candidate;
            rankOfBest = rank;
            ties = 1;
        } else if (rank == rankOfBest) {
            ties++;
            best = isBetter(candidate) ? candidate : best;
        }
    }

    private boolean isBetter(Delivery candidate) {
        if (rankOfBest == TESTED_OR_FAILED && candidate.lastTest != best.lastTest) {
            return candidate.lastTest < best.lastTest;
        }
        return newest ? candidate.message().id() > best.message().id() : random.nextInt(ties) == 0;
    }
}
