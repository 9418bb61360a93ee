package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outage;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Example;

/** Messages that fail, and those that wait behind them in the side tables. */
class LaneRetriesTest extends LaneFixture {
    private static final RetrySurvey SOMETHING_WAITS = new RetrySurvey(true, true, Long.MAX_VALUE);
    private static final RetrySurvey NOTHING_WAITS = RetrySurvey.NOTHING_WAITS;

    @Example
    void a_message_whose_save_failed_is_not_taken_from_the_table_until_it_is_known_to_be_saved() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.finished(lane.nextNow(), FAILED);
        lane.saveFailed(lane.toSave());

        lane.receivedDue(List.of(stored(1)));
        assertThat(lane.nextNow()).isNull();
        lane.saved(lane.toSave(), List.of());
        lane.receivedDue(List.of(stored(1)));
        assertThat(lane.nextNow()).isNotNull();
        lane.receivedDue(List.of(stored(1)));
        assertThat(lane.nextNow()).as("taken twice").isNull();
    }

    @Example
    void a_message_of_a_blocked_key_waits_behind_it_in_the_table() {
        Lane lane = lane(Order.key);
        lane.surveyed(SOMETHING_WAITS);
        Batch batch = new Batch(lane.nextRead(), List.of(message(1), message(2)), 2, Set.of());

        assertThat(lane.keysToLookUp(batch.messages())).containsExactlyInAnyOrder(keyOf(1), keyOf(2));
        lane.received(batch, Set.of(keyOf(1)));

        assertThat(lane.nextNow().message().id()).isEqualTo(2);
        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).singleElement().isInstanceOf(Change.Block.class);
        assertThat(lane.toSave().progress().gaps()).hasToString("{[2,3)}");
    }

    @Example
    void no_key_is_looked_up_while_nothing_waits() {
        Lane lane = lane(Order.key);
        Batch batch = new Batch(lane.nextRead(), List.of(message(1)), 1, Set.of());
        assertThat(lane.keysToLookUp(batch.messages())).isEmpty();

        lane.received(batch, Set.of());
        lane.finished(lane.nextNow(), FAILED);
        lane.saved(lane.toSave(), List.of());
        Batch next = new Batch(lane.nextRead(), List.of(message(2)), 1, Set.of());

        assertThat(lane.keysToLookUp(next.messages())).as("id 1 waits").containsExactly(keyOf(2));
        lane.surveyed(NOTHING_WAITS);
        assertThat(lane.keysToLookUp(next.messages())).isEmpty();
    }

    @Example
    void without_an_order_of_keys_no_key_is_looked_up() {
        for (Order order : List.of(Order.none, Order.strict)) {
            Lane lane = lane(order);
            lane.surveyed(SOMETHING_WAITS);
            assertThat(lane.keysToLookUp(List.of(message(1)))).isEmpty();
        }
    }

    @Example
    void a_message_of_a_key_with_a_change_that_is_not_saved_waits_although_the_tables_show_nothing() {
        Lane lane = lane(Order.key);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1));
        lane.finished(lane.nextNow(), FAILED);

        receiveMessages(lane, of(key, 2));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).hasSize(2).last().isInstanceOf(Change.Block.class);
    }

    @Example
    void a_due_message_waits_again_when_an_earlier_one_of_its_key_has_come_before_it() {
        Lane lane = lane(Order.key);
        lane.surveyed(SOMETHING_WAITS);

        lane.receivedDue(List.of(stored(2).behind(true)));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).singleElement().isInstanceOf(Change.Block.class);
    }

    @Example
    void a_due_message_waits_again_for_an_earlier_one_of_its_key_that_has_failed_and_is_not_saved() {
        Lane lane = lane(Order.key);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1));
        lane.finished(lane.nextNow(), FAILED);

        lane.receivedDue(List.of(Delivery.stored(of(key, 2), 2, 0, Duration.ZERO)));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).hasSize(2).last().isInstanceOf(Change.Block.class);
    }

    @Example
    void a_survey_that_began_before_a_save_of_a_failed_message_does_not_say_that_nothing_waits() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.finished(lane.nextNow(), FAILED);
        long before = lane.surveyNumber();
        Save save = lane.toSave();
        long during = lane.surveyNumber();
        lane.saved(save, List.of());

        lane.surveyed(NOTHING_WAITS, before);
        assertThat(lane.messagesWait()).as("begun before the save").isTrue();
        lane.surveyed(NOTHING_WAITS, during);
        assertThat(lane.messagesWait()).as("begun during the save").isTrue();
        lane.surveyed(NOTHING_WAITS, lane.surveyNumber());
        assertThat(lane.messagesWait()).isFalse();
    }

    @Example
    void a_survey_that_ends_during_a_save_leaves_the_keys_of_the_save_blocked() {
        Lane lane = lane(Order.key);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1));
        lane.finished(lane.nextNow(), FAILED);
        Save save = lane.toSave();

        lane.surveyed(NOTHING_WAITS, lane.surveyNumber());

        receiveMessages(lane, of(key, 2));
        assertThat(lane.nextNow()).as("the save is not answered").isNull();
        lane.saved(save, List.of());
        assertThat(lane.keysToLookUp(List.of(message(3))))
                .as("messages wait since the save")
                .containsExactly(keyOf(3));
    }

    @Example
    void a_survey_that_overlapped_a_save_that_changed_nothing_is_used() {
        Lane lane = lane(Order.key);
        lane.surveyed(SOMETHING_WAITS);
        receive(lane, true, 1);
        long number = lane.surveyNumber();
        lane.finished(lane.nextNow(), Result.DELIVERED);
        lane.saved(lane.toSave(), List.of());
        lane.surveyed(NOTHING_WAITS, number);
        assertThat(lane.messagesWait()).as("progress alone was saved").isFalse();

        receive(lane, true, 2);
        lane.finished(lane.nextNow(), FAILED);
        number = lane.surveyNumber();
        lane.saveFailed(lane.toSave());
        lane.surveyed(SOMETHING_WAITS, number);
        lane.surveyed(NOTHING_WAITS, lane.surveyNumber());
        assertThat(lane.messagesWait()).as("the key is pending").isTrue();
        lane.saved(lane.toSave(), List.of());
        assertThat(lane.messagesWait()).isTrue();
    }

    @Example
    void an_older_survey_does_not_replace_a_newer_one() {
        Lane lane = lane(Order.key);
        long older = lane.surveyNumber();
        lane.surveyed(SOMETHING_WAITS, lane.surveyNumber());

        lane.surveyed(NOTHING_WAITS, older);

        assertThat(lane.messagesWait()).isTrue();
        assertThat(lane.dueLimit()).isPositive();
    }

    @Example
    void a_survey_that_is_too_old_may_still_say_that_a_message_is_due() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.finished(lane.nextNow(), FAILED);
        long number = lane.surveyNumber();
        lane.saved(lane.toSave(), List.of());
        assertThat(lane.dueLimit()).isZero();

        lane.surveyed(SOMETHING_WAITS, number);

        assertThat(lane.dueLimit()).isPositive();
    }

    @Example
    void due_messages_are_read_once_for_each_survey_that_finds_one() {
        Lane lane = lane(Order.key);
        assertThat(lane.surveyed(SOMETHING_WAITS, lane.surveyNumber()))
                .as("the lane is to be woken")
                .isTrue();
        assertThat(lane.dueLimit()).isPositive();

        lane.receivedDue(List.of(stored(1)));
        lane.finished(lane.nextNow(), Result.DELIVERED);

        assertThat(lane.dueLimit()).isZero();
        assertThat(lane.surveyed(SOMETHING_WAITS, lane.surveyNumber()))
                .as("it may be the message whose removal is not saved")
                .isFalse();
        assertThat(lane.dueLimit()).isPositive();
        lane.surveyed(new RetrySurvey(true, false, Long.MAX_VALUE), lane.surveyNumber());
        assertThat(lane.dueLimit()).isZero();
        assertThat(lane.surveyed(SOMETHING_WAITS, lane.surveyNumber())).isTrue();
    }

    @Example
    void
            a_survey_that_began_before_the_lowest_id_was_removed_neither_blocks_the_next_ones_nor_replaces_the_survey_at_once() {
        Lane lane = lane(Order.strict);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), FAILED);
        lane.saved(lane.toSave(), List.of());
        lane.surveyed(new RetrySurvey(true, true, 1));
        lane.receivedDue(List.of(stored(1)));
        lane.finished(lane.nextNow(), Result.DELIVERED);
        long number = lane.surveyNumber();
        Save save = lane.toSave();
        lane.saved(save, List.of());

        lane.surveyed(new RetrySurvey(true, true, 1), number);
        assertThat(lane.surveyIsDue()).isTrue();
        lane.surveyed(NOTHING_WAITS);
        lane.surveyed(new RetrySurvey(true, true, 1), number);

        assertThat(lane.nextNow().message().id()).isEqualTo(2);
    }

    @Example
    void a_survey_does_not_free_what_waits_behind_a_message_in_flight_in_order_strict() {
        Lane lane = lane(Order.strict);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), FAILED);
        lane.saved(lane.toSave(), List.of());
        lane.surveyed(new RetrySurvey(true, true, 1));
        lane.receivedDue(List.of(stored(1)));
        Delivery first = lane.nextNow();

        lane.surveyed(NOTHING_WAITS, lane.surveyNumber()); // a person has given it up and discarded it

        assertThat(lane.nextNow()).isNull();
        lane.finished(first, Result.DELIVERED);
        lane.saved(lane.toSave(), List.of());
        lane.surveyed(NOTHING_WAITS);
        assertThat(lane.nextNow().message().id()).isEqualTo(2);
    }

    @Example
    void a_survey_of_a_lane_that_was_lost_has_no_effect() {
        Lane lane = lane(Order.key);
        long number = lane.surveyNumber();
        lane.close();

        lane.surveyed(SOMETHING_WAITS, number);

        assertThat(lane.dueLimit()).isZero();
        assertThat(lane.isQuiet()).isFalse();
        assertThat(lane.nextNow()).isNull();
    }

    @Example
    void the_messages_behind_a_retry_do_not_wait_for_the_periodic_survey_in_order_strict() {
        Lane lane = lane(Order.strict);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), FAILED);
        lane.saved(lane.toSave(), List.of());
        lane.surveyed(new RetrySurvey(true, true, 1));
        lane.receivedDue(List.of(stored(1)));
        Delivery retry = lane.nextNow();
        assertThat(lane.nextNow()).as("id 2 waits for id 1").isNull();

        lane.finished(retry, Result.DELIVERED);
        lane.saved(lane.toSave(), List.of());
        assertThat(lane.surveyIsDue()).isTrue();
        lane.surveyed(NOTHING_WAITS);

        assertThat(lane.surveyIsDue()).isFalse();
        assertThat(lane.nextNow().message().id()).isEqualTo(2);
    }

    @Example
    void what_is_remembered_does_not_grow_with_what_waits() {
        Lane lane = lane(Order.key);
        for (int id = 1; id <= 5_000; id++) {
            receive(lane, true, id);
            lane.finished(lane.nextNow(), id % 2 == 0 ? FAILED : Result.DELIVERED);
            lane.saved(lane.toSave(), List.of());
        }
        assertThat(lane.messagesWait()).isTrue();

        lane.surveyed(NOTHING_WAITS);

        assertThat(lane.messagesWait()).as("anything left in memory").isFalse();
    }

    @Example
    void after_a_takeover_nothing_that_waits_is_tried_before_the_gaps_are_read() {
        Lane lane = lane(options(Order.key), new SavedProgress(4, IdRanges.of(2, 3)), 0);
        lane.surveyed(SOMETHING_WAITS);
        assertThat(lane.dueLimit()).isZero();

        receive(lane, false, 2);
        assertThat(lane.dueLimit()).as("id 3 is not read yet").isZero();
        receive(lane, true, 3);

        assertThat(lane.dueLimit()).isPositive();
    }

    @Example
    void nothing_follows_an_earlier_message_that_failed_while_the_followers_were_looked_up() {
        Lane lane = lane(Order.key);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1), of(key, 2));
        lane.finished(lane.nextNow(), Result.dead(FAILURE));
        Delivery second = lane.nextNow();
        receiveMessages(lane, of(key, 3));
        Save save = lane.toSave();
        assertThat(save.changes()).as("the third is saved as blocked").hasSize(2);
        lane.saved(save, List.of(key));

        List<Key> keys = lane.readyToFollow();
        lane.finished(second, FAILED);
        lane.receivedFollowers(List.of(Delivery.follower(of(key, 3), 3, 0, Duration.ZERO)));

        assertThat(keys).containsExactly(key);
        assertThat(lane.nextNow()).isNull();
    }

    @Example
    void a_message_that_fails_again_waits_four_times_as_long() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.finished(lane.nextNow(), FAILED);
        lane.receivedDue(List.of(Delivery.stored(message(2, null), 2, 1, Duration.ZERO)));
        lane.finished(lane.nextNow(), FAILED);

        List<Duration> delays = lane.toSave().changes().stream()
                .map(change -> ((Change.Retry) change).delay())
                .toList();

        assertThat(delays).hasSize(2);
        assertThat(delays.get(0)).isBetween(Duration.ofMillis(750), Duration.ofSeconds(1));
        assertThat(delays.get(1)).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(4));
    }

    @Example
    void a_message_that_has_failed_too_often_is_dead() {
        Lane lane = lane(Order.key);
        lane.receivedDue(List.of(stored(1)));

        lane.finished(lane.nextNow(), FAILED);

        assertThat(lane.toSave().changes())
                .singleElement()
                .isInstanceOfSatisfying(
                        Change.Dead.class, dead -> assertThat(dead.attempts()).isEqualTo(3));
    }

    @Example
    void an_unavailable_destination_writes_nothing_and_holds_the_message() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);

        lane.finished(lane.nextNow(), Result.unavailable(FAILURE, Duration.ZERO));

        assertThat(lane.toSave().changes()).isEmpty();
        assertThat(lane.toSave().progress().gaps()).hasToString("{[1,2)}");
        assertThat(lane.report().outage()).contains(new Outage(Duration.ZERO, "refused", Duration.ofSeconds(1)));
    }

    @Example
    void an_unavailable_destination_is_probed_with_a_waiting_message_if_there_is_no_other() {
        Lane lane = lane(Order.key);
        lane.surveyed(SOMETHING_WAITS);
        receive(lane, true, 2);
        lane.finished(lane.nextNow(), Result.unavailable(FAILURE, Duration.ZERO));
        assertThat(lane.dueLimit()).as("message 2 is the probe").isZero();

        now += Duration.ofSeconds(1).toNanos();
        lane.finished(lane.nextNow(), Result.dead(FAILURE));
        assertThat(lane.readyToFollow()).as("its first failure does not count").isEmpty();
        now += Duration.ofSeconds(2).toNanos();
        lane.finished(lane.nextNow(), Result.dead(FAILURE));

        assertThat(lane.destinationIsUnavailable()).isTrue();
        assertThat(lane.dueLimit()).isPositive();
    }

    @Example
    void a_destination_that_refuses_everything_is_probed_also_with_waiting_messages_while_others_fill_the_window() {
        Lane lane = lane(Order.none);
        long id = 1;
        while (!lane.destinationIsUnavailable()) {
            receive(lane, false, id++, id++);
            for (Delivery next = lane.nextNow(); next != null; next = lane.nextNow()) {
                lane.finished(next, FAILED);
            }
            lane.saved(lane.toSave(), List.of());
        }
        while (lane.nextRead() != null) {
            receive(lane, false, id++, id++);
        }

        lane.surveyed(SOMETHING_WAITS);

        assertThat(lane.dueLimit()).isEqualTo(1);
        lane.receivedDue(List.of(stored(1)));
        now += Duration.ofSeconds(1).toNanos();
        List<Long> probes = new ArrayList<>();
        for (Delivery next = lane.nextNow(); next != null; next = lane.nextNow()) {
            probes.add(next.message().id());
        }
        assertThat(probes).contains(1L);
    }

    private static Key keyOf(long id) {
        return message(id, null).key();
    }
}
