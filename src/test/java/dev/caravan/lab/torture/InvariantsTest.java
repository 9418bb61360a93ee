package dev.caravan.lab.torture;

import static dev.caravan.lab.torture.stage.TortureDestination.HTTP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.progress.IdRanges;
import dev.caravan.lab.torture.fault.Failovers;
import dev.caravan.lab.torture.receiver.Arrival;
import dev.caravan.lab.torture.receiver.Kind;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import dev.caravan.lab.torture.stage.RecordedChanges.State;
import dev.caravan.lab.torture.stage.TortureDestination;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Each invariant is violated once, to show that the check finds it. */
class InvariantsTest {
    private static final Arrival FIRST = arrival("m1", 1, "a", 10);
    private static final Arrival SECOND = arrival("m2", 2, "a", 20);
    private static final Arrival THIRD = arrival("m3", 3, "a", 30);

    /** Relay a works the lane up to 100 and has acknowledged all at 40, then relay b works it. */
    private final SubscriptionHistory history = new SubscriptionHistory(
            List.of(List.of(
                    new State(0, "a", 1, 0, new IdRanges()),
                    new State(40, "a", 1, 3, new IdRanges()),
                    new State(100, "b", 2, 3, new IdRanges()))),
            Map.of(),
            Map.of());

    private final Invariants invariants = new Invariants(List.of(
            written(1, "m1", "k", 1, Kind.plain),
            written(2, "m2", "k", 2, Kind.plain),
            written(3, "m3", "k", 3, Kind.plain),
            written(4, "p", "k2", 1, Kind.poison)));

    @Test
    void all_hold_when_nothing_is_wrong() {
        List<Arrival> arrivals = List.of(FIRST, SECOND, THIRD);
        invariants.nothingIsLost(HTTP, arrivals);
        invariants.nothingRolledBackArrives(HTTP, arrivals, 0);
        invariants.nothingElseArrives(HTTP, arrivals);
        invariants.repeatsHaveTheSameId(HTTP, arrivals);
        invariants.repeatsAreExplained(HTTP, arrivals, history, 1, List.of());
        invariants.firstArrivalsAreInOrder(HTTP, arrivals);
        invariants.eachKeyArrivesInOrder(HTTP, arrivals);
        invariants.lastArrivalsAreInOrder(HTTP, arrivals, history);
        invariants.deadLettersAreComplete(HTTP, List.of(4L), Map.of(4L, 1));

        assertThat(invariants.found()).hasSize(9).allMatch(Invariant::holds);
    }

    @Test
    void a_message_that_did_not_arrive_is_lost() {
        invariants.nothingIsLost(HTTP, List.of(FIRST, THIRD));
        violated("id=2");
    }

    @Test
    void a_dead_letter_must_not_arrive() {
        invariants.nothingElseArrives(HTTP, List.of(FIRST, new Arrival("p", "k2", 1, "a", 10)));
        violated("id=4");
    }

    @Test
    void a_message_of_a_type_that_is_not_selected_must_not_arrive() {
        invariants.nothingElseArrives(TortureDestination.MAIL, List.of(FIRST));
        violated("id=1");
    }

    @Test
    void a_destination_gets_only_the_types_that_its_route_selects() {
        invariants.nothingIsLost(TortureDestination.MAIL, List.of());
        invariants.nothingIsLost(TortureDestination.KAFKA, List.of(FIRST, SECOND, THIRD));

        assertThat(invariants.found()).extracting(Invariant::holds).containsExactly(true, false); // poison is lost
    }

    @Test
    void a_message_that_was_never_committed_must_not_arrive() {
        invariants.nothingRolledBackArrives(HTTP, List.of(arrival("other", 9, "a", 1)), 1);
        violated("other");
    }

    @Test
    void the_same_content_with_another_id_is_no_repeat() {
        invariants.repeatsHaveTheSameId(HTTP, List.of(FIRST, arrival("m1-again", 1, "a", 20)));
        violated("m1-again");
    }

    @Test
    void what_was_acknowledged_is_not_sent_again_by_the_relay_that_works_the_lane() {
        invariants.repeatsAreExplained(
                HTTP,
                List.of(FIRST, SECOND, arrival("m1", 1, "a", 95), arrival("m2", 2, "a", 300)),
                history,
                100,
                List.of());
        violated("atMillis=95"); // the one at 300 is of a relay that had lost its lease
    }

    @Test
    void more_repeats_than_can_be_in_flight_are_too_many() {
        SubscriptionHistory noTakeover = new SubscriptionHistory(
                List.of(List.of(new State(0, "a", 0, 0, new IdRanges()), new State(50, "a", 0, 3, new IdRanges()))),
                Map.of(),
                Map.of());
        invariants.repeatsAreExplained(
                HTTP, Collections.nCopies(HTTP.inFlight() * HTTP.lanes() + 2, FIRST), noTakeover, 1, List.of());
        violated("repeats: 49, at most 48 are explained");
    }

    @Test
    void repeats_after_a_failover_that_lost_saves_are_not_too_many() {
        SubscriptionHistory promoted = new SubscriptionHistory(
                List.of(List.of(new State(0, "a", 0, 0, new IdRanges()), new State(50, "a", 0, 3, new IdRanges()))),
                Map.of(),
                Map.of());
        List<Arrival> arrivals = Collections.nCopies(HTTP.inFlight() * HTTP.lanes() + 2, FIRST);
        invariants.repeatsAreExplained(HTTP, arrivals, promoted, 1, List.of(new Failovers.Failover(40, 45)));
        invariants.repeatsAreExplained(HTTP, arrivals, promoted, 1, List.of(new Failovers.Failover(4000, 4100)));

        assertThat(invariants.found()).extracting(Invariant::holds).containsExactly(true, false);
    }

    @Test
    void accepted_messages_are_delayed_only_while_messages_arrive_elsewhere() {
        List<Arrival> twice = List.of(arrival("m1", 1, "a", 0), arrival("m2", 2, "a", 90_000));
        List<Arrival> always = LongStream.range(0, 100)
                .mapToObj(second -> arrival("m3", 3, "a", second * 1_000))
                .toList();
        invariants.arrivalsContinue(TortureDestination.CHAOS, twice, always);
        invariants.arrivalsContinue(TortureDestination.CHAOS, twice, always.subList(0, 50));

        assertThat(invariants.found()).extracting(Invariant::holds).containsExactly(false, true);
    }

    @Test
    void an_acknowledged_commit_that_the_database_does_not_have_is_lost() {
        invariants.acknowledgedCommitsSurvive(Map.of("k", 3L, "k2", 2L));
        violated("k2 ends with 1 and not with 2");
    }

    @Test
    void a_message_that_overtakes_another_is_out_of_order() {
        invariants.firstArrivalsAreInOrder(HTTP, List.of(SECOND, FIRST, SECOND));
        violated("m1");
    }

    @Test
    void what_overtook_must_arrive_again_after_the_other() {
        invariants.lastArrivalsAreInOrder(HTTP, List.of(SECOND, FIRST), history);
        violated("m1");
    }

    @Test
    void a_repeat_by_a_relay_that_had_lost_its_lease_may_come_last() {
        invariants.lastArrivalsAreInOrder(
                HTTP, List.of(FIRST, SECOND, THIRD, arrival("m1", 1, "a", 300)), history); // b works the lane since 100
        invariants.lastArrivalsAreInOrder(HTTP, List.of(FIRST, SECOND, THIRD, arrival("m1", 1, "b", 300)), history);

        assertThat(invariants.found()).extracting(Invariant::holds).containsExactly(true, false);
    }

    @Test
    void repeats_by_a_relay_that_got_its_lease_back_restore_the_order() {
        SubscriptionHistory back = new SubscriptionHistory(
                List.of(List.of(
                        new State(0, "a", 1, 0, new IdRanges()),
                        new State(100, "b", 2, 0, new IdRanges()),
                        new State(200, "a", 3, 0, new IdRanges()))),
                Map.of(),
                Map.of());
        invariants.lastArrivalsAreInOrder(
                HTTP, List.of(FIRST, SECOND, arrival("m1", 1, "b", 150), arrival("m2", 2, "a", 250)), back);

        assertThat(invariants.found()).allMatch(Invariant::holds);
    }

    @Test
    void each_lane_has_a_history_of_its_own() {
        SubscriptionHistory twoLanes = new SubscriptionHistory(
                List.of(
                        List.of(new State(0, "a", 1, 3, new IdRanges())),
                        List.of(new State(0, "b", 1, 3, new IdRanges()))),
                Map.of(1L, 0, 2L, 1),
                Map.of());
        invariants.repeatsAreExplained(
                HTTP,
                List.of(FIRST, SECOND, arrival("m1", 1, "a", 100), arrival("m2", 2, "a", 100)),
                twoLanes,
                1,
                List.of());

        assertThat(invariants.found().get(0).violations())
                .singleElement()
                .asString()
                .contains("m1"); // relay a works the lane of m1, and that of m2 is relay b's
    }

    @Test
    void a_message_that_still_waits_for_another_attempt_may_be_repeated() {
        SubscriptionHistory waiting = new SubscriptionHistory(
                List.of(List.of(new State(0, "a", 0, 3, new IdRanges()))), Map.of(), Map.of(1L, Long.MAX_VALUE));
        invariants.repeatsAreExplained(HTTP, List.of(FIRST, arrival("m1", 1, "a", 900)), waiting, 1, List.of());

        assertThat(invariants.found()).allMatch(Invariant::holds);
    }

    @Test
    void a_key_that_cannot_be_read_in_order_is_out_of_order() {
        Invariants two =
                new Invariants(List.of(written(1, "m1", "k", 1, Kind.plain), written(2, "m2", "k", 2, Kind.plain)));
        two.eachKeyArrivesInOrder(HTTP, List.of(SECOND, FIRST, SECOND));
        two.eachKeyArrivesInOrder(HTTP, List.of(SECOND, FIRST));
        assertThat(two.found()).extracting(Invariant::holds).containsExactly(true, false);
    }

    @Test
    void a_dead_letter_leaves_no_hole_in_the_order_of_its_key() {
        Invariants withLarge = new Invariants(List.of(
                written(1, "m1", "k", 1, Kind.plain),
                written(2, "m2", "k", 2, Kind.large),
                written(3, "m3", "k", 3, Kind.plain)));
        withLarge.eachKeyArrivesInOrder(TortureDestination.KAFKA, List.of(FIRST, THIRD));
        withLarge.eachKeyArrivesInOrder(HTTP, List.of(FIRST, THIRD));
        assertThat(withLarge.found()).extracting(Invariant::holds).containsExactly(true, false);
    }

    @Test
    void undeliverable_messages_are_dead_once_and_nothing_else_is() {
        invariants.deadLettersAreComplete(HTTP, List.of(), Map.of(1L, 1));
        invariants.deadLettersAreComplete(HTTP, List.of(4L), Map.of(4L, 2));
        assertThat(invariants.found().get(0).violations())
                .hasSize(2)
                .anyMatch(line -> line.startsWith("no dead letter"))
                .anyMatch(line -> line.startsWith("dead without reason"));
        assertThat(invariants.found().get(1).violations()).hasSize(1).allMatch(line -> line.startsWith("dead 2 times"));
    }

    @Test
    void a_payload_in_a_log_is_found() {
        invariants.noPayloadIsLogged(
                List.of("Message 7 is dead", "values (7, '{\"kind\" : \"plain\", \"filler\" : \"\"}')"));
        violated("values (7");
    }

    private void violated(String by) {
        assertThat(invariants.found()).hasSize(1);
        assertThat(invariants.found().get(0).violations()).hasSize(1).allMatch(line -> line.contains(by));
    }

    private static Arrival arrival(String messageId, long sequence, String relay, long atMillis) {
        return new Arrival(messageId, "k", sequence, relay, atMillis);
    }

    private static WrittenMessage written(long id, String messageId, String key, long sequence, Kind kind) {
        return new WrittenMessage(id, messageId, key, "account.changed", sequence, kind);
    }
}
