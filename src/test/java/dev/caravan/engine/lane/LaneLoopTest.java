package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.SimulatedDestination.Arrival;
import dev.caravan.engine.lane.SimulatedWorld.Failures;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.OnDead;
import dev.caravan.engine.schedule.Order;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The whole loop of a lane, step by step, against a simulated outbox: any interleaving keeps the promises. */
class LaneLoopTest {
    @Provide
    Arbitrary<List<Integer>> steps() {
        return Choices.lists(50, 1_500);
    }

    @Property
    void with_order_key_each_message_starts_when_the_earlier_ones_of_its_key_are_delivered_or_dead(
            @ForAll("steps") List<Integer> steps) {
        run(Order.key, false, OnDead.CONTINUE, Failures.ALL, steps);
    }

    @Property
    void with_dead_letters_that_block_no_later_message_of_the_key_starts_until_a_person_has_acted(
            @ForAll("steps") List<Integer> steps) {
        run(Order.key, false, OnDead.BLOCK, Failures.ALL, steps);
    }

    @Property
    void with_pipelining_each_message_is_sent_again_after_the_earlier_ones_of_its_key_that_failed(
            @ForAll OnDead onDead, @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(Order.key, true, onDead, Failures.ALL, steps);

        Map<Long, Long> firstStarts = new HashMap<>();
        Map<Long, Long> lastStarts = new HashMap<>();
        for (Arrival arrival : world.destination.arrivals()) {
            firstStarts.merge(arrival.message().id(), arrival.start(), Math::min);
            lastStarts.merge(arrival.message().id(), arrival.start(), Math::max);
        }
        Map<Key, Message> previous = new HashMap<>();
        for (Message message : world.outbox.toDeliver()) {
            Message earlier = previous.put(message.key(), message);
            if (earlier != null && !world.isExempt(earlier) && !world.isExempt(message)) {
                assertThat(lastStarts.get(message.id()))
                        .as("last start of message %s", message.id())
                        .isGreaterThan(firstStarts.get(earlier.id()));
            }
        }
    }

    @Property
    void with_order_strict_nothing_starts_before_all_earlier_ones_are_delivered_or_discarded(
            @ForAll OnDead onDead, @ForAll("steps") List<Integer> steps) {
        run(Order.strict, false, onDead, Failures.ALL, steps);
    }

    @Property
    void with_order_none_nothing_is_lost(@ForAll("steps") List<Integer> steps) {
        run(Order.none, false, OnDead.CONTINUE, Failures.ALL, steps);
    }

    @Property
    void while_a_transaction_stays_open_what_waits_for_it_is_left_out_and_neither_lost_nor_late(
            @ForAll("steps") List<Integer> steps) {
        Choices choices = new Choices(steps);
        Failures failures = choices.below(2) == 0 ? Failures.ATTEMPTS : Failures.ALL;
        SimulatedWorld world = new SimulatedWorld(Order.key, false, OnDead.CONTINUE, failures, choices);
        world.keepOldestOpen();
        finish(world, choices);
    }

    @Property
    void without_a_failure_or_a_takeover_nothing_arrives_twice_and_nothing_but_progress_is_saved(
            @ForAll Order order, @ForAll boolean pipelined, @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(order, pipelined && order == Order.key, OnDead.CONTINUE, Failures.NONE, steps);

        assertThat(world.claims).isEqualTo(1);
        assertThat(world.changes).isZero();
        assertThat(world.destination.arrivals()).hasSameSizeAs(world.outbox.toDeliver());
    }

    @Property
    void while_only_attempts_fail_nothing_arrives_twice(
            @ForAll Order order, @ForAll OnDead onDead, @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(order, false, onDead, Failures.ATTEMPTS, steps);

        assertThat(world.claims).isEqualTo(1);
        assertThat(world.destination.arrivals().stream()
                        .map(arrival -> arrival.message().id()))
                .doesNotHaveDuplicates();
    }

    @Property
    void a_subscription_whose_order_is_changed_loses_nothing_and_goes_on(
            @ForAll Order before, @ForAll Order after, @ForAll OnDead onDead, @ForAll("steps") List<Integer> steps) {
        Choices choices = new Choices(steps);
        SimulatedWorld world = new SimulatedWorld(before, false, OnDead.CONTINUE, Failures.ALL, choices);
        for (int i = 0; i < steps.size() / 6; i++) { // each takes about three numbers: this is half of them
            world.step();
        }
        world.changeOrder(after, onDead);
        finish(world, choices);
    }

    /** Runs the steps and what follows, and checks what holds for every order. */
    private static SimulatedWorld run(
            Order order, boolean pipelined, OnDead onDead, Failures failures, List<Integer> steps) {
        Choices choices = new Choices(steps);
        SimulatedWorld world = new SimulatedWorld(order, pipelined, onDead, failures, choices);
        finish(world, choices);
        return world;
    }

    private static void finish(SimulatedWorld world, Choices choices) {
        while (choices.hasMore()) {
            world.step();
        }
        world.deliverEverything();

        assertThat(world.subscription.progress())
                .as("progress in the end; %s", world.subscription.retries)
                .isEqualTo(new SavedProgress(world.outbox.highestVisible(), new IdRanges()));
        assertThat(world.subscription.retries.isEmpty())
                .as("nothing is left: %s", world.subscription.retries)
                .isTrue();
        assertThat(world.relays)
                .allSatisfy(relay -> assertThat(relay.messagesWait()).isFalse());
        List<Message> delivered = world.destination.firstArrivals();
        assertThat(world.outbox.toDeliver())
                .as("what was committed is delivered or discarded")
                .allSatisfy(message -> assertThat(
                                delivered.contains(message) || world.subscription.retries.isDiscarded(message.id()))
                        .as("message %s", message.id())
                        .isTrue());
        assertThat(world.subscription.delivered())
                .as(
                        "each message that is not discarded is counted once, however often it arrived or its save was repeated")
                .isEqualTo(world.outbox.toDeliver().stream()
                        .filter(message -> !world.subscription.retries.isDiscarded(message.id()))
                        .count());
        assertThat(world.outbox.toDeliver())
                .as("what was delivered is committed")
                .containsAll(delivered);
    }
}
