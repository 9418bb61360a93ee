package dev.caravan.engine.schedule;

import java.util.SplittableRandom;

/**
 * Chooses the messages that test a suspicion or probe a destination: alternately the newest and a random one. Keys without a
 * failure come first, then keys with one, then the messages whose last test is oldest. Only the first message of each key
 * qualifies.
 */
final class TestChoice {
    private static final int UNTESTED = 0;
    private static final int OF_A_SUSPECT_KEY = 1;
    private static final int TESTED_OR_FAILED = 2;

    private final Availability availability;
    private final Iterable<KeyQueue> queues;
    private final RunningAttempts running;
    private final SplittableRandom random = new SplittableRandom(1);
    private boolean newest;

    private Delivery best;
    private int rankOfBest;
    /** Number of candidates with the best rank so far. */
    private int ties;

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
        newest = !newest;
        for (KeyQueue queue : queues) {
            Delivery candidate = queue.firstReady();
            if (candidate != null && availability.mayTest(candidate.lastTest) && !candidate.isGated(below)) {
                consider(candidate, rank(candidate));
            }
        }
        return best;
    }

    private int rank(Delivery candidate) {
        if (candidate.failedBefore() || candidate.recoveriesAtLastFailure == availability.recoveries()) {
            return TESTED_OR_FAILED;
        }
        return availability.isSuspect(candidate.queue.key()) ? OF_A_SUSPECT_KEY : UNTESTED;
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
