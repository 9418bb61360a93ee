package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Outcome;
import dev.caravan.lane.SimulatedOutbox.Transaction;
import dev.caravan.lane.SimulatedRelay.Attempt;
import java.time.Duration;
import java.util.List;

/** Writers, two relays that fight for one lane, a destination and a clock; what happens next is chosen from outside. */
final class SimulatedWorld {
    static final Duration LEASE = Duration.ofSeconds(10);
    static final Duration RETRY = Duration.ofMillis(40);
    private static final Duration ACK_INTERVAL = Duration.ofMillis(100);
    private static final Duration RENEWAL = Duration.ofSeconds(3);

    final LaneOptions options;
    final SimulatedOutbox outbox = new SimulatedOutbox();
    final SimulatedSubscription subscription = new SimulatedSubscription(LEASE.toNanos());
    final Destination destination = new Destination();
    final List<SimulatedRelay> relays = List.of(new SimulatedRelay("a", this), new SimulatedRelay("b", this));
    int claims;
    int releases;
    int failures;

    private final Choices choices;
    private final boolean calm;
    private long now;

    /** @param calm whether nothing goes wrong: no failure, no crash, no lease that ends */
    SimulatedWorld(Order order, boolean pipelined, boolean calm, Choices choices) {
        this.calm = calm;
        this.choices = choices;
        int batch = 1 + choices.below(4);
        options = new LaneOptions(
                order,
                pipelined,
                1 + choices.below(3),
                batch,
                100L * (1 + choices.below(20)),
                batch + choices.below(8),
                ACK_INTERVAL,
                RENEWAL);
    }

    long now() {
        return now;
    }

    /** Lets one thing happen. */
    void step() {
        switch (choices.below(20)) {
            case 0, 1, 2, 3 -> writersGoOn();
            case 4, 5, 6 -> relays.get(choices.below(2)).step();
            case 7, 8, 9, 10, 11, 12 -> relay().step();
            case 13, 14 -> relay().start();
            case 15, 16 -> attemptGoesOn(relay());
            case 17, 18 -> timePasses();
            default -> troubleComes(relay());
        }
    }

    /** Mostly the relay that works the lane, sometimes the other one. */
    private SimulatedRelay relay() {
        boolean second = relays.get(1).holds(subscription.epoch()) ^ choices.below(8) == 0;
        return relays.get(second ? 1 : 0);
    }

    private void writersGoOn() {
        List<Transaction> open = outbox.transactions();
        if (open.isEmpty() || open.size() < 4 && choices.below(4) == 0) {
            outbox.begin();
            return;
        }
        Transaction transaction = open.get(choices.below(open.size()));
        switch (choices.below(13)) {
            case 12 -> handOver(transaction);
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

    /** The next writer of a key waited for this commit, and commits at once too: both become visible in one go. */
    private void handOver(Transaction transaction) {
        transaction.commit();
        Transaction next = outbox.begin();
        transaction.keys().forEach(key -> next.write(key, "order.created", null));
        next.commit();
    }

    private void attemptGoesOn(SimulatedRelay relay) {
        if (relay.attempts().isEmpty()) {
            return;
        }
        Attempt attempt = relay.attempts().get(choices.below(relay.attempts().size()));
        switch (calm ? 0 : choices.below(6)) {
            case 4 -> relay.ended(attempt, Outcome.RETRY);
            case 5 -> arrive(attempt); // its end is told later or never; until then it may arrive again
            default -> {
                arrive(attempt);
                relay.ended(attempt, Outcome.DELIVERED);
            }
        }
    }

    private void arrive(Attempt attempt) {
        destination.arrived(attempt.delivery().message(), attempt.start());
    }

    private void timePasses() {
        int rare = calm ? 0 : choices.below(30);
        int millis =
                switch (rare) {
                    case 28 -> 3_100;
                    case 29 -> 10_100;
                    default -> 1 + choices.below(60);
                };
        now += Duration.ofMillis(millis).toNanos();
    }

    private void troubleComes(SimulatedRelay relay) {
        switch (calm ? 2 : choices.below(12)) {
            case 0 -> relay.crash();
            case 1 -> relay.stop();
            default -> {
                // mostly all is well
            }
        }
    }

    /** Ends all transactions and failures, and lets the relays go on until nothing is left to do. */
    void settleDown() {
        for (Transaction transaction : List.copyOf(outbox.transactions())) {
            if (choices.below(4) == 0) {
                transaction.rollBack();
            } else {
                transaction.commit();
            }
            transaction.release();
        }
        for (int round = 0; round < 2_000 && !isDone(); round++) {
            now += Duration.ofMillis(50).toNanos();
            relays.forEach(this::goOn);
        }
    }

    private void goOn(SimulatedRelay relay) {
        relay.step();
        relay.start();
        for (Attempt attempt : List.copyOf(relay.attempts())) {
            arrive(attempt);
            relay.ended(attempt, Outcome.DELIVERED);
        }
    }

    private boolean isDone() {
        SavedProgress progress = subscription.progress();
        return progress.position() == outbox.highestVisible() && progress.gaps().isEmpty();
    }

    /** Saves progress, and checks that it forgets nothing: it may be what a relay finds after a crash. */
    boolean save(long epoch, SavedProgress progress) {
        boolean saved = subscription.save(epoch, progress, now);
        if (saved) {
            for (long id = 1; id <= progress.position(); id++) {
                assertThat(progress.gaps().contains(id) || destination.has(id) || outbox.isNothingToDeliver(id))
                        .as("id %s is kept in %s", id, progress)
                        .isTrue();
            }
        }
        return saved;
    }

    /** Checks the order at the moment when a message starts. */
    void started(Message message) {
        if (options.pipelined() || options.order() == Order.none) {
            return;
        }
        for (Message earlier : outbox.toDeliver()) {
            boolean goesFirst = options.order() == Order.strict || earlier.key().equals(message.key());
            if (goesFirst && earlier.id() < message.id()) {
                assertThat(destination.has(earlier.id()))
                        .as("message %s arrived before message %s starts", earlier.id(), message.id())
                        .isTrue();
            }
        }
    }
}
