package dev.caravan.engine.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Chooses the messages that test a suspicion or probe a destination: alternately the newest and a random one. Keys without a
 * failure come first, then keys with one, then the messages whose last test is oldest. Only the first message of each key
 * qualifies.
 *
 * <p>Some probes repeat messages that failed before although others have not: a destination may refuse first attempts and accept
 * later ones. Each message is such a probe only a few times.
 */
final class TestChoice {
    private static final long OF_A_SUSPECT_KEY = 1;
    private static final long FAILED = 2;

    /** Number of probes that repeat a message and whose failure does not count. */
    static final int MAX_REPEATS = 5;

    private final Availability availability;
    private final Iterable<KeyQueue> queues;
    private final RunningAttempts running;
    private final SplittableRandom random = new SplittableRandom(1);
    private boolean newest;

    TestChoice(Availability availability, Iterable<KeyQueue> queues, RunningAttempts running) {
        this.availability = availability;
        this.queues = queues;
        this.running = running;
    }

    /** The next message to start as a test or a probe, or null if none may start now. */
    Delivery next(long now, long below) {
        List<Delivery> candidates = availability.testMayStart(now, running.messages()) ? candidates(below) : List.of();
        if (candidates.isEmpty()) {
            return null;
        }
        Delivery repeat = repeat(candidates);
        Delivery test = repeat == null ? choose(candidates) : repeat;
        running.test(test);
        test.isRepeat = repeat != null;
        test.repeats += test.isRepeat ? 1 : 0;
        test.lastTest = availability.testStarts();
        return test;
    }

    /** Whether a suspicion can only be tested with messages that failed before, after {@link #next} has found no other. */
    boolean hasNothingToTest() {
        return availability.isSuspected() && running.tests() == 0 && !availability.hasFailedTest();
    }

    /** Resolves a suspicion after all tests, or after fewer if no other message can be tested. */
    void judgeSuspicion(long now) {
        if (availability.isSuspected() && running.tests() == 0 && availability.hasFailedTest()) {
            boolean noneIsLeft =
                    running.messages() == 0 && candidates(Long.MAX_VALUE).isEmpty();
            if (noneIsLeft || availability.isTestComplete()) {
                availability.testsFailed(now);
            }
        }
    }

    /**
     * The messages that may be the next test. During a suspicion, one that failed before is not a valid test. Visits every key,
     * which is acceptable because failures are rare.
     *
     * @param below fresh messages at or above this id may not start
     */
    private List<Delivery> candidates(long below) {
        List<Delivery> candidates = new ArrayList<>();
        for (KeyQueue queue : queues) {
            Delivery first = queue.firstReady();
            if (first != null
                    && availability.mayTest(first.lastTest)
                    && !first.isGated(below)
                    && !(availability.isSuspected() && rank(first) >= FAILED)) {
                candidates.add(first);
            }
        }
        return candidates;
    }

    /** The lowest comes first; of those with the same last test, one whose failure would not count. */
    private long rank(Delivery candidate) {
        boolean counts = candidate.failedBefore();
        if (counts || candidate.recoveriesAtLastFailure == availability.recoveries()) {
            return FAILED + 2 * candidate.lastTest + (counts ? 1 : 0);
        }
        return availability.isSuspect(candidate.queue.key()) ? OF_A_SUSPECT_KEY : 0;
    }

    /**
     * The message to repeat, or null if the next probe is another one: the message that was repeated most, or the one whose last
     * test is oldest. Of those without a test the last one comes first: a person may have retried it. If all candidates failed
     * before, none is a repeat, and further failures count.
     */
    private Delivery repeat(List<Delivery> candidates) {
        if (!availability.repeats() || candidates.stream().allMatch(each -> rank(each) >= FAILED)) {
            return null;
        }
        boolean most = availability.repeatsMost();
        return candidates.stream()
                .filter(each -> rank(each) >= FAILED && each.repeats < MAX_REPEATS)
                .min(Comparator.<Delivery>comparingInt(each -> most ? -each.repeats : 0)
                        .thenComparingLong(each -> each.lastTest)
                        .thenComparingLong(each -> -each.added))
                .orElse(null);
    }

    private Delivery choose(List<Delivery> candidates) {
        long rank = candidates.stream().mapToLong(this::rank).min().orElseThrow();
        List<Delivery> best =
                candidates.stream().filter(each -> rank(each) == rank).toList();
        newest = !newest;
        return newest
                ? best.stream()
                        .max(Comparator.comparingLong(each -> each.message().id()))
                        .orElseThrow()
                : best.get(random.nextInt(best.size()));
    }
}
