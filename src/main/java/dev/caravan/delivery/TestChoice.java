package dev.caravan.delivery;

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
    private final SplittableRandom random = new SplittableRandom(1);
    private boolean newest;

    private Delivery best;
    private int rankOfBest;
    private int alike;

    TestChoice(Availability availability) {
        this.availability = availability;
    }

    /**
     * The next test message, or null if there is none. During a suspicion, a message that failed before is not a valid test.
     * Visits every key, which is acceptable because failures are rare.
     *
     * @param below nothing fresh at or above this id may start
     */
    Delivery choose(Iterable<KeyQueue> queues, long below) {
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
            alike = 1;
        } else if (rank == rankOfBest) {
            alike++;
            best = isBetter(candidate) ? candidate : best;
        }
    }

    private boolean isBetter(Delivery candidate) {
        if (rankOfBest == TESTED_OR_FAILED && candidate.lastTest != best.lastTest) {
            return candidate.lastTest < best.lastTest;
        }
        return newest ? candidate.message().id() > best.message().id() : random.nextInt(alike) == 0;
    }
}
