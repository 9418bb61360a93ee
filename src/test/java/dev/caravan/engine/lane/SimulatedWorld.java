package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.SimulatedOutbox.Transaction;
import dev.caravan.engine.lane.SimulatedRelay.Attempt;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Backoff;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outcome;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Writers, two relays that compete for one lane, a destination and a clock. {@link Choices} decide what happens next. */
final class SimulatedWorld {
    static final Duration LEASE = Duration.ofSeconds(10);
    private static final int MAX_ATTEMPTS = 4;
    private static final String UNAVAILABLE = "unavailable";
    private static final Result FAILED = Result.retry(failure("failed"));
    private static final Result POISON = Result.dead(failure("poison"));

    LaneSettings options;
    final SimulatedOutbox outbox = new SimulatedOutbox();
    final SimulatedSubscription subscription = new SimulatedSubscription(LEASE.toNanos());
    final SimulatedDestination destination = new SimulatedDestination();
    final List<SimulatedRelay> relays = List.of(new SimulatedRelay("a", this), new SimulatedRelay("b", this));
    int claims;
    int releases;
    int changes;

    /** The failures that may happen. */
    enum Failures {
        /** No failure, no crash, no lease that ends. */
        NONE,
        /** Attempts fail. */
        ATTEMPTS,
        /** All failures. */
        ALL
    }

    enum SaveOutcome {
        SUCCEEDS,
        FAILS,
        FAILS_AFTER_COMMIT,
        /** The database refuses one of its changes. */
        REFUSED
    }

    private final Choices choices;
    private final Failures mode;
    private boolean settling;
    private boolean oldestStaysOpen;
    /** Messages that were dead letters at any time: when they are retried, their order is not checked. */
    private final Set<Long> everDead = new HashSet<>();
    /** Messages that were written before the order was changed. */
    private final Set<Long> olderThanTheOrder = new HashSet<>();
    /** The number of attempts of each message that may count. */
    private final Map<Long, Integer> failures = new HashMap<>();
    /** Deliveries whose message may have arrived in an attempt that did not count. */
    private final Set<Delivery> mayHaveArrivedUncounted = new HashSet<>();
    /** For each message with a failure that did not count: how many messages had been delivered before the first one. */
    private final Map<Long, Integer> deliveredBefore = new HashMap<>();

    private long now;

    SimulatedWorld(Order order, boolean pipelined, OnDead onDead, Failures mode, Choices choices) {
        this.mode = mode;
        this.choices = choices;
        options = options(order, pipelined, onDead);
        if (choices.below(2) == 0) {
            outbox.hideSessions();
        }
    }

    private LaneSettings options(Order order, boolean pipelined, OnDead onDead) {
        return TestLaneSettings.of(settings -> {
            settings.lease = LEASE;
            settings.order = order;
            settings.pipelined = pipelined;
            settings.batchSize = 1 + choices.below(4);
            settings.concurrency = 1 + choices.below(3);
            settings.batchBytes = 100L * (1 + choices.below(20));
            settings.window = settings.batchSize + choices.below(8);
            settings.maxAttempts = MAX_ATTEMPTS;
            settings.maxAge = Duration.ofHours(1);
            settings.backoff = new Backoff(Duration.ofMillis(40), Duration.ofMillis(500), new Random(1));
            settings.onDead = onDead;
            settings.batching = batching(pipelined);
        });
    }

    private BatchLimits batching(boolean pipelined) {
        if (pipelined || choices.below(3) != 1) {
            return BatchLimits.SINGLE;
        }
        Duration maxWait = Duration.ofMillis(30L * choices.below(2));
        return new BatchLimits(2 + choices.below(5), 400L * (1 + choices.below(8)), maxWait);
    }

    /** Whether several messages may be sent together. */
    boolean inBatches() {
        return options.batching() != BatchLimits.SINGLE;
    }

    /** From now on the oldest transaction seldom continues, more time passes, and the relay sees no sessions. */
    void keepOldestOpen() {
        oldestStaysOpen = true;
        outbox.hideSessions();
    }

    /** Stops all relays; those that start again have another order. The order of what was written before is not checked. */
    void changeOrder(Order order, OnDead onDead) {
        relays.forEach(SimulatedRelay::crash);
        outbox.toDeliver().forEach(message -> olderThanTheOrder.add(message.id()));
        options = options(order, false, onDead);
        subscription.retries.walked();
    }

    long now() {
        return now;
    }

    /** Executes one step of a writer, a relay, an attempt, the clock or a person, or a failure. */
    void step() {
        switch (choices.below(24)) {
            case 0, 1, 2, 3 -> writerStep();
            case 4, 5, 6 -> relays.get(choices.below(2)).step();
            case 7, 8, 9, 10, 11, 12 -> relay().step();
            case 13, 14 -> relay().start();
            case 15, 16 -> attemptStep(relay());
            case 17, 18 -> timePasses();
            case 19 -> personStep();
            case 20, 21, 22 -> relay().surveyStep();
            default -> failureStep(relay());
        }
    }

    /** Mostly the relay that works the lane, sometimes the other one. */
    private SimulatedRelay relay() {
        boolean second = relays.get(1).holds(subscription.epoch()) ^ choices.below(8) == 0;
        return relays.get(second ? 1 : 0);
    }

    private void writerStep() {
        List<Transaction> open = outbox.transactions();
        if (open.isEmpty() || open.size() < 4 && choices.below(4) == 0) {
            outbox.begin();
            return;
        }
        int spared = oldestStaysOpen && open.size() > 1 && choices.below(12) > 0 ? 1 : 0;
        Transaction transaction = open.get(spared + choices.below(open.size() - spared));
        switch (choices.below(13)) {
            case 12 -> commitWithNext(transaction);
            case 0 -> transaction.rollBack();
            case 1 -> transaction.prepare();
            case 2 -> transaction.commit();
            case 3, 4, 5, 6 -> transaction.release();
            default ->
                transaction.write(
                        new Key("order", "" + choices.below(3)),
                        choices.below(5) == 0 ? SimulatedOutbox.OTHER_TYPE : "order.created",
                        "x".repeat(40 * choices.below(20)));
        }
    }

    /** The next writer of a key waited for this commit, and commits at once too: both become visible at the same time. */
    private void commitWithNext(Transaction transaction) {
        transaction.commit();
        Transaction next = outbox.begin();
        transaction.keys().forEach(key -> next.write(key, "order.created", null));
        next.commit();
    }

    private void attemptStep(SimulatedRelay relay) {
        if (relay.attempts().isEmpty()) {
            return;
        }
        Attempt attempt = relay.attempts().get(choices.below(relay.attempts().size()));
        switch (mode == Failures.NONE ? 0 : choices.below(9)) {
            case 4 -> relay.ended(attempt, FAILED);
            case 5 -> lastFails(relay, attempt, FAILED);
            case 6 -> {
                if (choices.below(2) == 0) {
                    relay.ended(attempt, POISON);
                } else {
                    lastFails(relay, attempt, POISON);
                }
            }
            case 7 -> {
                attempt.batch()
                        .forEach(delivery -> deliveredBefore.putIfAbsent(
                                delivery.message().id(), destination.arrivals().size()));
                relay.ended(attempt, Result.unavailable(failure(UNAVAILABLE), Duration.ZERO));
            }
            case 8 -> {
                if (mode == Failures.ALL) {
                    arrive(attempt); // its end is reported later or never; until then it may arrive again
                }
            }
            default -> {
                arrive(attempt);
                relay.ended(attempt, Result.DELIVERED);
            }
        }
    }

    /** The destination accepts all messages of a batch but the last one, and says so. */
    private void lastFails(SimulatedRelay relay, Attempt attempt, Result result) {
        int last = attempt.batch().size() - 1;
        attempt.batch().subList(0, last).forEach(delivery -> destination.arrived(delivery.message(), attempt.start()));
        List<Result> results = new ArrayList<>(Collections.nCopies(last, Result.DELIVERED));
        results.add(result);
        relay.ended(attempt, results);
    }

    private static Failure failure(String text) {
        return new Failure("java.io.IOException", text, "", "", text);
    }

    /** Called when the lane has recorded the end of an attempt. */
    void ended(Delivery delivery, Result result) {
        long id = delivery.message().id();
        if ((result == FAILED || result == POISON) && !delivery.isCounted()) {
            deliveredBefore.putIfAbsent(id, destination.arrivals().size());
            assertThat(mayHaveArrivedUncounted.add(delivery))
                    .as("the first failure of message %s without an answer that does not count", id)
                    .isTrue();
        }
        if (result != Result.DELIVERED && delivery.isCounted()) {
            failures.merge(id, 1, Integer::sum);
            if (result.outcome() == Outcome.DEAD
                    || delivery.failedAttempts() + 1 >= options.retry().maxAttempts()) {
                everDead.add(id);
            }
        }
    }

    /** Whether it was dead or discarded: then its order is not checked. */
    boolean isExempt(Message message) {
        return everDead.contains(message.id()) || subscription.retries.isDiscarded(message.id());
    }

    SaveOutcome saveOutcome() {
        return switch (settling || mode != Failures.ALL ? 0 : choices.below(13)) {
            case 10 -> SaveOutcome.FAILS;
            case 11 -> SaveOutcome.FAILS_AFTER_COMMIT;
            case 12 -> SaveOutcome.REFUSED;
            default -> SaveOutcome.SUCCEEDS;
        };
    }

    private void personStep() {
        if (mode == Failures.ALL && choices.below(3) == 0) {
            giveUp(subscription.retries.idsWithTime());
            return;
        }
        List<Long> dead = subscription.retries.deadIds();
        if (dead.isEmpty()) {
            return;
        }
        long id = dead.get(choices.below(dead.size()));
        if (choices.below(3) == 0) {
            subscription.retries.discard(id, options, now);
        } else {
            subscription.retries.retryDead(id, now);
        }
    }

    /** Gives up a message that no relay has taken: another one could arrive although it is dead. */
    private void giveUp(List<Long> waiting) {
        if (!waiting.isEmpty()) {
            long id = waiting.get(choices.below(waiting.size()));
            if (relays.stream().noneMatch(relay -> relay.hasTaken(id))) {
                everDead.add(id);
                subscription.retries.giveUp(id, options, now);
            }
        }
    }

    private void arrive(Attempt attempt) {
        attempt.batch().forEach(delivery -> destination.arrived(delivery.message(), attempt.start()));
    }

    void timePasses(Duration time) {
        now += time.toNanos();
    }

    private void timePasses() {
        int rare = oldestStaysOpen && choices.below(3) == 0 ? 26 : choices.below(mode == Failures.ALL ? 30 : 29);
        int millis =
                switch (rare) {
                    case 26, 27, 28 -> 1_100;
                    case 29 -> 10_100;
                    default -> 1 + choices.below(60);
                };
        now += Duration.ofMillis(millis).toNanos();
    }

    private void failureStep(SimulatedRelay relay) {
        switch (mode == Failures.ALL ? choices.below(12) : 3) {
            case 2 -> outbox.crash();
            case 0 -> relay.crash();
            case 1 -> relay.stop();
            default -> {
                // mostly nothing happens
            }
        }
    }

    /** Ends all transactions and failures, and lets the relays work until nothing is left to do. */
    void deliverEverything() {
        for (Transaction transaction : List.copyOf(outbox.transactions())) {
            if (choices.below(4) == 0) {
                transaction.rollBack();
            } else {
                transaction.commit();
            }
            transaction.release();
        }
        settling = true;
        for (int round = 0; round < 3_000 && !isDone(); round++) {
            now += Duration.ofMillis(50).toNanos();
            subscription.retries.deadIds().forEach(id -> subscription.retries.retryDead(id, now));
            relays.forEach(this::work);
        }
    }

    private void work(SimulatedRelay relay) {
        for (int i = 0; i < 4; i++) {
            relay.step();
            relay.surveyStep();
        }
        relay.start();
        for (Attempt attempt : List.copyOf(relay.attempts())) {
            arrive(attempt);
            relay.ended(attempt, Result.DELIVERED);
        }
    }

    private boolean isDone() {
        SavedProgress progress = subscription.progress();
        return progress.position() == outbox.highestVisible()
                && progress.gaps().isEmpty()
                && subscription.retries.isEmpty()
                && relays.stream().noneMatch(SimulatedRelay::messagesWait);
    }

    /** Saves, and checks that nothing is missing: it may be what a relay reads after a crash. */
    Optional<List<Key>> save(long epoch, Save save) {
        Optional<List<Key>> saved = subscription.save(epoch, save, options, now);
        if (saved.isPresent()) {
            changes += save.changes().size();
            save.changes().forEach(this::checkChange);
            checkPlaces(subscription.progress());
        }
        return saved;
    }

    private void checkChange(Change change) {
        long id = change.delivery().message().id();
        if (change instanceof Change.Retry retry) {
            assertThat(retry.attempts())
                    .isBetween(
                            0,
                            Math.min(
                                    failures.getOrDefault(id, 0),
                                    options.retry().maxAttempts() - 1));
            if (retry.failure().errorText().equals(UNAVAILABLE)) {
                assertThat(destination.arrivals().size() - deliveredBefore.get(id))
                        .as("others that were delivered before message %s was blamed", id)
                        .isGreaterThanOrEqualTo(3);
            }
        } else if (change instanceof Change.Dead) {
            assertThat(everDead).as("dead for a reason").contains(id);
        }
    }

    private void checkPlaces(SavedProgress progress) {
        for (long id = 1; id <= progress.position(); id++) {
            int places = (progress.gaps().contains(id) ? 1 : 0) + subscription.retries.places(id);
            if (places > 1 || places == 0 && !destination.has(id) && !outbox.isNothingToDeliver(id)) {
                fail("id %s has %s places in %s, %s", id, places, progress, subscription.retries);
            }
        }
    }

    /** Checks the order at the moment when messages start. */
    void started(List<Delivery> batch) {
        assertThat(batch).extracting(delivery -> delivery.message().id()).isSorted();
        Set<Long> together = new HashSet<>();
        for (Delivery delivery : batch) {
            started(delivery, together);
            together.add(delivery.message().id());
        }
    }

    private void started(Delivery delivery, Set<Long> before) {
        Message message = delivery.message();
        boolean wasDead = everDead.contains(message.id()) && delivery.isStored();
        boolean hasNoPlace = wasDead || olderThanTheOrder.contains(message.id());
        if (options.pipelined() || options.order() == Order.none || hasNoPlace) {
            return;
        }
        for (Message earlier : outbox.toDeliverBefore(message.id())) {
            boolean goesFirst = options.order() == Order.strict || earlier.key().equals(message.key());
            if (goesFirst && !before.contains(earlier.id()) && !hasEnded(earlier.id())) {
                fail(
                        "message %s has not ended before %s starts at %s; %s, %s",
                        earlier.id(), message.id(), now / 1_000_000, subscription.progress(), subscription.retries);
            }
        }
    }

    private boolean hasEnded(long id) {
        return destination.has(id)
                || subscription.retries.isDiscarded(id)
                || !options.deadLettersBlock() && everDead.contains(id);
    }
}
