package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Example;

/** What a lane reads, and when its window is full. */
class LaneWindowTest extends LaneFixture {
    @Example
    void a_full_strict_window_is_freed_by_the_commit_of_the_id_it_waits_for() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 2, 3);
        receive(lane, false, 4, 5);
        assertThat(lane.nextNow()).as("nothing overtakes id 1").isNull();

        Read read = lane.nextRead();
        assertThat(read).isEqualTo(new Read(Long.MAX_VALUE, "{[1,2)}", Set.of(), 2, 2, 1_000));
        lane.received(new Batch(read, List.of(message(1)), 1, Set.of()), Set.of());

        assertThat(lane.nextRead()).as("the window is still full").isNull();
        assertThat(lane.nextNow().message().id()).isEqualTo(1);
    }

    @Example
    void a_read_of_one_message_proves_nothing_about_the_ids_after_it() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 9, 10);
        receive(lane, false, 11, 12);
        receive(lane, false, 7, 8);
        lane.observed(NOBODY);

        Read read = lane.nextRead();
        assertThat(read.limit()).as("the window is exceeded by a batch").isEqualTo(1);
        lane.received(new Batch(read, List.of(message(1)), 1, Set.of()), Set.of());

        assertThat(lane.toSave().progress().gaps().contains(2))
                .as("id 2 may be visible")
                .isTrue();
    }

    @Example
    void a_full_strict_window_is_freed_by_the_proof_that_the_id_it_waits_for_was_rolled_back() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 2, 3);
        receive(lane, false, 5, 6);
        lane.observed(NOBODY);

        lane.received(new Batch(lane.nextRead(), List.of(), 0, Set.of()), Set.of());

        assertThat(lane.nextNow().message().id()).isEqualTo(2);
        assertThat(lane.toSave().progress().gaps())
                .as("id 4 was not asked for and is not settled")
                .hasToString("{[2,7)}");
    }

    @Example
    void a_full_window_is_not_read_into_in_order_key() {
        Lane lane = lane(Order.key);
        receive(lane, false, 2, 3);
        receive(lane, false, 4, 5);

        assertThat(lane.nextRead()).isNull();
    }

    @Example
    void the_window_is_full_when_its_bytes_are_reached() {
        Lane lane = lane(Order.none);
        lane.received(new Batch(lane.nextRead(), List.of(message(1, "x".repeat(4_000))), 1, Set.of()), Set.of());
        assertThat(lane.nextRead()).isNull();

        lane.finished(lane.nextNow(), Result.DELIVERED);

        assertThat(lane.nextRead()).isEqualTo(new Read(1, "{}", Set.of(), Long.MAX_VALUE, 2, 1_000));
    }

    @Example
    void a_message_that_is_not_selected_counts_as_delivered_at_once() {
        Lane lane = lane(Order.key);
        lane.received(new Batch(lane.nextRead(), List.of(Message.notSelected(1)), 1, Set.of()), Set.of());

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().progress()).isEqualTo(new ProgressToSave(1, new IdRanges(), null));
    }

    @Example
    void a_full_strict_window_is_freed_by_the_retry_that_it_waits_for() {
        Lane lane = lane(Order.strict);
        receive(lane, true, 1, 2);
        receive(lane, true, 3, 4);
        lane.finished(lane.nextNow(), FAILED);
        assertThat(lane.nextRead()).as("no room").isNull();
        Save save = lane.toSave();
        lane.saved(save, List.of());
        assertThat(save.changes()).hasSize(1);
        assertThat(lane.nextNow()).as("all wait for id 1").isNull();

        lane.surveyed(new RetrySurvey(true, true, 1));
        assertThat(lane.dueLimit()).isEqualTo(1);
        lane.receivedDue(List.of(stored(1)));

        assertThat(lane.nextNow().message().id()).isEqualTo(1);
    }
}
