package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.lane.Destination.Arrival;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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

    @Property(tries = 1_500)
    void with_order_key_each_message_first_arrives_after_the_earlier_ones_of_its_key(
            @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(Order.key, false, false, steps);

        Map<Key, List<Message>> byKey =
                world.destination.firstArrivals().stream().collect(Collectors.groupingBy(Message::key));
        assertThat(byKey.values())
                .allSatisfy(messages -> assertThat(messages).isSortedAccordingTo(Comparator.comparing(Message::id)));
    }

    @Property(tries = 250)
    void with_pipelining_each_message_is_sent_again_after_the_earlier_ones_of_its_key_that_failed(
            @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(Order.key, true, false, steps);

        Map<Long, Long> firstStarts = new HashMap<>();
        Map<Long, Long> lastStarts = new HashMap<>();
        for (Arrival arrival : world.destination.arrivals()) {
            firstStarts.merge(arrival.message().id(), arrival.start(), Math::min);
            lastStarts.merge(arrival.message().id(), arrival.start(), Math::max);
        }
        Map<Key, Message> previous = new HashMap<>();
        for (Message message : world.outbox.toDeliver()) {
            Message earlier = previous.put(message.key(), message);
            if (earlier != null) {
                assertThat(lastStarts.get(message.id()))
                        .as("last start of message %s", message.id())
                        .isGreaterThan(firstStarts.get(earlier.id()));
            }
        }
    }

    @Property(tries = 250)
    void with_order_strict_all_messages_first_arrive_in_order_of_id(@ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(Order.strict, false, false, steps);

        assertThat(world.destination.firstArrivals()).isSortedAccordingTo(Comparator.comparing(Message::id));
    }

    @Property(tries = 250)
    void with_order_none_nothing_is_lost(@ForAll("steps") List<Integer> steps) {
        run(Order.none, false, false, steps);
    }

    @Property(tries = 250)
    void without_a_failure_or_a_takeover_nothing_arrives_twice(
            @ForAll Order order, @ForAll boolean pipelined, @ForAll("steps") List<Integer> steps) {
        SimulatedWorld world = run(order, pipelined && order == Order.key, true, steps);

        assertThat(world.claims).isEqualTo(1);
        assertThat(world.destination.arrivals()).doesNotHaveDuplicates();
        assertThat(world.destination.arrivals()).hasSameSizeAs(world.outbox.toDeliver());
    }

    /** Runs the steps and what follows, and checks what holds for every order. */
    private static SimulatedWorld run(Order order, boolean pipelined, boolean calm, List<Integer> steps) {
        Choices choices = new Choices(steps);
        SimulatedWorld world = new SimulatedWorld(order, pipelined, calm, choices);
        while (choices.hasMore()) {
            world.step();
        }
        world.settleDown();

        assertThat(world.subscription.progress())
                .as("progress in the end")
                .isEqualTo(new SavedProgress(world.outbox.highestVisible(), new IdRanges()));
        assertThat(world.destination.firstArrivals())
                .as("what arrived is what was committed")
                .containsExactlyInAnyOrderElementsOf(world.outbox.toDeliver());
        return world;
    }
}
