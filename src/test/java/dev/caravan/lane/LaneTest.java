package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import net.jqwik.api.Example;

class LaneTest {
    private static final long LEASE_ENDS = Duration.ofSeconds(10).toNanos();
    private static final Writers NOBODY = new Writers(Set.of(), Set.of());

    private long now;

    @Example
    void a_full_strict_window_is_freed_by_the_commit_of_the_id_it_waits_for() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 2, 3);
        receive(lane, false, 4, 5);
        assertThat(lane.nextNow()).as("nothing overtakes id 1").isNull();

        Read read = lane.nextRead();
        assertThat(read).isEqualTo(new Read(Long.MAX_VALUE, "{[1,2)}", 1, 1_000));
        lane.received(new Batch(List.of(row(1)), false));

        assertThat(lane.nextRead()).as("the window is still full").isNull();
        assertThat(lane.nextNow().message().id()).isEqualTo(1);
    }

    @Example
    void a_full_strict_window_is_freed_by_the_proof_that_the_id_it_waits_for_was_rolled_back() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 2, 3);
        receive(lane, false, 5, 6);
        lane.observed(NOBODY);

        lane.nextRead();
        lane.received(new Batch(List.of(), true));

        assertThat(lane.nextNow().message().id()).isEqualTo(2);
        assertThat(lane.toSave().gaps())
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
        lane.nextRead();
        lane.received(new Batch(List.of(new Batch.Row(1, message(1, "x".repeat(4_000)))), true));
        assertThat(lane.nextRead()).isNull();

        lane.finished(lane.nextNow(), Outcome.DELIVERED);

        assertThat(lane.nextRead()).isEqualTo(new Read(1, "{}", 2, 1_000));
    }

    @Example
    void a_message_that_is_not_selected_counts_as_delivered_at_once() {
        Lane lane = lane(Order.key);
        lane.nextRead();
        lane.received(new Batch(List.of(new Batch.Row(1, null)), true));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave()).isEqualTo(new SavedProgress(1, new IdRanges()));
    }

    @Example
    void nothing_starts_once_the_lease_has_ended_until_it_is_renewed() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        now = LEASE_ENDS;
        assertThat(lane.nextNow()).isNull();

        lane.renewed(now + 1);

        assertThat(lane.nextNow()).isNotNull();
    }

    @Example
    void nothing_starts_while_the_lane_is_suspended() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.suspend();
        assertThat(lane.nextNow()).isNull();

        lane.resume();

        assertThat(lane.nextNow()).isNotNull();
    }

    @Example
    void what_ends_after_the_lane_is_closed_changes_nothing() throws InterruptedException {
        Lane lane = lane(Order.key);
        receive(lane, true, 1, 2);
        Delivery delivery = lane.nextNow();
        SavedProgress before = lane.toSave();

        lane.close();
        lane.finished(delivery, Outcome.DELIVERED);
        lane.received(new Batch(List.of(row(3)), true));

        assertThat(lane.toSave()).isEqualTo(before);
        assertThat(lane.next()).isNull();
    }

    @Example
    void progress_is_saved_after_the_ack_interval_if_it_changed_and_else_only_to_renew_the_lease() {
        Lane lane = lane(Order.key);
        now = Duration.ofMillis(200).toNanos();
        assertThat(lane.saveIsDue()).as("nothing has changed").isFalse();

        receive(lane, true, 1);
        assertThat(lane.saveIsDue()).as("a message was taken").isTrue();
        lane.toSave();
        assertThat(lane.saveIsDue()).as("just saved").isFalse();

        now += Duration.ofMillis(100).toNanos();
        assertThat(lane.saveIsDue()).as("nothing new").isFalse();
        lane.saveFailed();
        assertThat(lane.saveIsDue()).as("the save failed").isTrue();
        lane.toSave();

        now += Duration.ofSeconds(3).toNanos();
        assertThat(lane.saveIsDue()).as("the lease wants renewal").isTrue();
    }

    /** A window of four, read in batches of two. */
    private Lane lane(Order order) {
        LaneOptions options =
                new LaneOptions(order, false, 8, 2, 1_000, 4, Duration.ofMillis(100), Duration.ofSeconds(3));
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), new Random(1));
        return new Lane(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), options, backoff, () -> now);
    }

    private static void receive(Lane lane, boolean complete, long... ids) {
        assertThat(lane.nextRead()).isNotNull();
        lane.received(new Batch(LongStream.of(ids).mapToObj(LaneTest::row).toList(), complete));
    }

    private static Batch.Row row(long id) {
        return new Batch.Row(id, message(id, null));
    }

    private static Message message(long id, String payload) {
        return new Message(id, new UUID(0, id), new Key("order", "" + id), "created", null, payload, Instant.EPOCH);
    }
}
