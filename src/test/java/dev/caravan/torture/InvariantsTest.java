package dev.caravan.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lane.IdRanges;
import dev.caravan.torture.TorturedOutbox.State;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A checker that finds nothing is worth nothing: each invariant is violated once. */
class InvariantsTest {
    private static final Arrival FIRST = arrival("m1", 1, "a", 10);
    private static final Arrival SECOND = arrival("m2", 2, "a", 20);
    private static final Arrival THIRD = arrival("m3", 3, "a", 30);

    /** Relay a works the lane up to 100 and has acknowledged all at 40, then relay b works it. */
    private final SubscriptionHistory history = new SubscriptionHistory(
            List.of(
                    new State(0, "a", 1, 0, new IdRanges()),
                    new State(40, "a", 1, 3, new IdRanges()),
                    new State(100, "b", 2, 3, new IdRanges())),
            Map.of());

    private final Invariants invariants = new Invariants(List.of(
            new WrittenMessage(1, "m1", "k", 1, Kind.plain),
            new WrittenMessage(2, "m2", "k", 2, Kind.plain),
            new WrittenMessage(3, "m3", "k", 3, Kind.plain),
            new WrittenMessage(4, "p", "k2", 1, Kind.poison)));

    @Test
    void all_hold_when_all_is_well() {
        List<Arrival> arrivals = List.of(FIRST, SECOND, THIRD);
        invariants.nothingIsLost("x", arrivals, Set.of(Kind.plain));
        invariants.nothingRolledBackArrives("x", arrivals, 0);
        invariants.repeatsCarryTheSameId("x", arrivals);
        invariants.repeatsAreExplained("x", arrivals, history, 1, 1);
        invariants.firstArrivalsAreInOrder("x", arrivals);
        invariants.lastArrivalsAreInOrder("x", arrivals, history);
        invariants.deadLettersAreConserved("x", List.of(4L), Map.of(4L, 1), arrivals);

        assertThat(invariants.found()).hasSize(7).allMatch(Invariant::holds);
    }

    @Test
    void a_message_that_did_not_arrive_is_lost() {
        invariants.nothingIsLost("x", List.of(FIRST, THIRD), Set.of(Kind.plain));
        violated("id=2");
    }

    @Test
    void a_message_that_was_never_committed_must_not_arrive() {
        invariants.nothingRolledBackArrives("x", List.of(arrival("other", 9, "a", 1)), 1);
        violated("other");
    }

    @Test
    void the_same_content_with_another_id_is_no_repeat() {
        invariants.repeatsCarryTheSameId("x", List.of(FIRST, arrival("m1-again", 1, "a", 20)));
        violated("m1-again");
    }

    @Test
    void what_was_acknowledged_is_not_sent_again_by_the_relay_that_works_the_lane() {
        invariants.repeatsAreExplained(
                "x", List.of(FIRST, SECOND, arrival("m1", 1, "a", 95), arrival("m2", 2, "a", 300)), history, 100, 1);
        violated("atMillis=95"); // the one at 300 is of a relay that had lost its lease
    }

    @Test
    void more_repeats_than_can_be_on_their_way_are_too_many() {
        SubscriptionHistory noTakeover = new SubscriptionHistory(
                List.of(new State(0, "a", 0, 0, new IdRanges()), new State(50, "a", 0, 3, new IdRanges())), Map.of());
        invariants.repeatsAreExplained("x", List.of(FIRST, FIRST, FIRST), noTakeover, 1, 1);
        violated("2 repeats are more than 1");
    }

    @Test
    void a_message_that_overtakes_another_is_out_of_order() {
        invariants.firstArrivalsAreInOrder("x", List.of(SECOND, FIRST, SECOND));
        violated("m1");
    }

    @Test
    void what_overtook_must_arrive_again_after_the_other() {
        invariants.lastArrivalsAreInOrder("x", List.of(SECOND, FIRST), history);
        violated("m1");
    }

    @Test
    void a_key_that_cannot_be_read_in_order_is_out_of_order() {
        Invariants two = new Invariants(List.of(
                new WrittenMessage(1, "m1", "k", 1, Kind.plain), new WrittenMessage(2, "m2", "k", 2, Kind.plain)));
        two.eachKeyArrivesInOrder("x", List.of(SECOND, FIRST, SECOND));
        two.eachKeyArrivesInOrder("x", List.of(SECOND, FIRST));
        assertThat(two.found()).extracting(Invariant::holds).containsExactly(true, false);
    }

    @Test
    void poison_is_dead_once_and_nothing_else_is() {
        invariants.deadLettersAreConserved("x", List.of(), Map.of(1L, 1), List.of(FIRST));
        assertThat(invariants.found().get(0).violations())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("no dead letter"))
                .anyMatch(line -> line.startsWith("dead without reason"));
    }

    private void violated(String by) {
        assertThat(invariants.found()).hasSize(1);
        assertThat(invariants.found().get(0).violations()).hasSize(1).allMatch(line -> line.contains(by));
    }

    private static Arrival arrival(String messageId, long sequence, String relay, long atMillis) {
        return new Arrival(messageId, "k", sequence, relay, atMillis);
    }
}
