package dev.caravan.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.clock.SystemClock;
import dev.caravan.delivery.Backoff;
import dev.caravan.delivery.Delivery;
import dev.caravan.delivery.Failure;
import dev.caravan.delivery.Key;
import dev.caravan.delivery.Message;
import dev.caravan.delivery.OnDead;
import dev.caravan.delivery.Order;
import dev.caravan.delivery.Outage;
import dev.caravan.delivery.Result;
import dev.caravan.delivery.RetryPolicy;
import dev.caravan.progress.IdRanges;
import dev.caravan.progress.ProgressToSave;
import dev.caravan.progress.Read;
import dev.caravan.progress.SavedProgress;
import dev.caravan.progress.Writers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.Example;

class LaneTest {
    private static final RetrySurvey SOMETHING_WAITS = new RetrySurvey(true, Long.MAX_VALUE);
    private static final RetrySurvey NOTHING_WAITS = new RetrySurvey(false, Long.MAX_VALUE);
    private static final long LEASE_ENDS = Duration.ofSeconds(10).toNanos();
    private static final Failure FAILURE = new Failure("java.io.IOException", "refused", "", "", "refused");
    private static final Result FAILED = Result.retry(FAILURE);
    private static final Writers NOBODY = new Writers(Set.of());

    private final LaneCounters counters = new LaneCounters(() -> 0);
    private long now;

    @Example
    void a_full_strict_window_is_freed_by_the_commit_of_the_id_it_waits_for() {
        Lane lane = lane(Order.strict);
        receive(lane, false, 2, 3);
        receive(lane, false, 4, 5);
        assertThat(lane.nextNow()).as("nothing overtakes id 1").isNull();

        Read read = lane.nextRead();
        assertThat(read).isEqualTo(new Read(Long.MAX_VALUE, "{[1,2)}", 2, 2, 1_000));
        lane.received(new Batch(read, List.of(row(1)), 1), Set.of());

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
        lane.received(new Batch(read, List.of(row(1)), 1), Set.of());

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

        lane.received(new Batch(lane.nextRead(), List.of(), 0), Set.of());

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
        lane.received(
                new Batch(lane.nextRead(), List.of(new Batch.Row(1, message(1, "x".repeat(4_000)))), 1), Set.of());
        assertThat(lane.nextRead()).isNull();

        lane.finished(lane.nextNow(), Result.DELIVERED);

        assertThat(lane.nextRead()).isEqualTo(new Read(1, "{}", Long.MAX_VALUE, 2, 1_000));
    }

    @Example
    void a_message_that_is_not_selected_counts_as_delivered_at_once() {
        Lane lane = lane(Order.key);
        lane.received(new Batch(lane.nextRead(), List.of(new Batch.Row(1, null)), 1), Set.of());

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().progress()).isEqualTo(new ProgressToSave(1, new IdRanges()));
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
    void a_message_that_was_handed_out_before_a_standstill_is_sent_after_the_renewal_of_the_lease_or_not_at_all()
            throws Exception {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        assertThat(lane.nextNow()).isNotNull();
        assertThat(lane.awaitLease()).isTrue();

        now = LEASE_ENDS;
        var renewed = CompletableFuture.supplyAsync(() -> mayBeSent(lane));
        assertThat(renewed).isNotCompleted();
        lane.renewed(now + 1);
        assertThat(renewed.get(10, TimeUnit.SECONDS)).isTrue();

        now += 1;
        var closed = CompletableFuture.supplyAsync(() -> mayBeSent(lane));
        assertThat(closed).isNotCompleted();
        lane.close();
        assertThat(closed.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Example
    void a_message_that_was_handed_out_after_a_suspension_that_nobody_noticed_is_not_sent() throws Exception {
        SystemClock clock = new SystemClock(() -> 0, () -> TimeUnit.NANOSECONDS.toMillis(now));
        Lane lane = new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0),
                options(Order.key),
                counters,
                clock);
        receive(lane, true, 1);
        now += LEASE_ENDS + Duration.ofHours(1).toNanos();
        assertThat(lane.nextNow()).isNotNull();

        var sent = CompletableFuture.supplyAsync(() -> mayBeSent(lane));

        assertThat(sent).isNotCompleted();
        lane.close();
        assertThat(sent.get(10, TimeUnit.SECONDS)).isFalse();
        assertThat(lane.snapshot().leaseHolds()).isFalse();
    }

    private static boolean mayBeSent(Lane lane) {
        try {
            return lane.awaitLease();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Example
    void nothing_starts_while_the_lane_is_suspended() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1);
        lane.suspend(Suspension.STOP);
        assertThat(lane.nextNow()).isNull();

        lane.resume(Suspension.STOP);

        assertThat(lane.nextNow()).isNotNull();
    }

    @Example
    void what_ends_after_the_lane_is_closed_changes_nothing() throws InterruptedException {
        Lane lane = lane(Order.key);
        receive(lane, true, 1, 2);
        Delivery delivery = lane.nextNow();
        ProgressToSave before = lane.toSave().progress();

        Read read = lane.nextRead();
        lane.close();
        lane.finished(delivery, Result.DELIVERED);
        lane.received(new Batch(read, List.of(row(3)), 1), Set.of());

        assertThat(lane.toSave().progress()).isEqualTo(before);
        assertThat(lane.next()).isNull();
    }

    @Example
    void progress_is_saved_after_the_ack_interval_if_it_changed_and_else_only_to_renew_the_lease() {
        Lane lane = lane(Order.key);
        now = Duration.ofMillis(200).toNanos();
        assertThat(lane.saveIsDue()).as("nothing has changed").isFalse();

        receive(lane, true, 1);
        assertThat(lane.saveIsDue()).as("a message was taken").isTrue();
        Save save = lane.toSave();
        assertThat(lane.saveIsDue()).as("just saved").isFalse();

        now += Duration.ofMillis(100).toNanos();
        assertThat(lane.saveIsDue()).as("nothing new").isFalse();
        lane.saveFailed(save);
        assertThat(lane.saveIsDue()).as("the save failed").isTrue();
        lane.toSave();

        now += Duration.ofSeconds(3).toNanos();
        assertThat(lane.saveIsDue()).as("the lease wants renewal").isTrue();
    }

    /** Of one row these leave 0.2 MB of old versions, see OldTransactionIT; without sparing they would leave 9 MB. */
    @Example
    void during_an_hour_in_which_old_versions_of_the_row_stay_it_is_written_825_times_at_most() {
        Lane lane = lane(Order.key);
        int writes = 0;
        for (long millis = 0; millis < 3_600_000; millis += 50) {
            now = Duration.ofMillis(millis).toNanos();
            if (millis % 5_000 == 0) {
                lane.saveLessOften(Duration.ofMillis(millis));
            }
            if (lane.saveIsDue()) {
                lane.saveFailed(lane.toSave()); // there is always something new
                writes++;
            }
            if (lane.reportIsDue()) {
                lane.report();
                writes++;
            }
        }
        assertThat(writes).isBetween(700, 825);
    }

    @Example
    void what_becomes_of_a_message_is_saved_within_a_second_however_long_old_versions_stay() {
        Lane lane = lane(Order.key);
        lane.saveLessOften(Duration.ofHours(1));
        receive(lane, true, 1);
        now = Duration.ofMillis(1_100).toNanos();
        assertThat(lane.saveIsDue()).as("only progress").isFalse();

        lane.finished(lane.nextNow(), FAILED);

        assertThat(lane.saveIsDue()).isTrue();
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

        assertThat(lane.dueLimit()).isEqualTo(1);
        lane.receivedDue(List.of(stored(1)));

        assertThat(lane.nextNow().message().id()).isEqualTo(1);
    }

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
        Batch batch = new Batch(lane.nextRead(), List.of(row(1), row(2)), 2);

        assertThat(lane.keysToLookUp(batch)).containsExactlyInAnyOrder(keyOf(1), keyOf(2));
        lane.received(batch, Set.of(keyOf(1)));

        assertThat(lane.nextNow().message().id()).isEqualTo(2);
        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).singleElement().isInstanceOf(Change.Block.class);
        assertThat(lane.toSave().progress().gaps()).hasToString("{[2,3)}");
    }

    @Example
    void no_key_is_looked_up_while_nothing_waits() {
        Lane lane = lane(Order.key);
        Batch batch = new Batch(lane.nextRead(), List.of(row(1)), 1);
        assertThat(lane.keysToLookUp(batch)).isEmpty();

        lane.received(batch, Set.of());
        lane.finished(lane.nextNow(), FAILED);
        lane.saved(lane.toSave(), List.of());
        Batch next = new Batch(lane.nextRead(), List.of(row(2)), 1);

        assertThat(lane.keysToLookUp(next)).as("id 1 waits").containsExactly(keyOf(2));
        lane.surveyed(NOTHING_WAITS);
        assertThat(lane.keysToLookUp(next)).isEmpty();
    }

    @Example
    void without_an_order_of_keys_no_key_is_looked_up() {
        for (Order order : List.of(Order.none, Order.strict)) {
            Lane lane = lane(order);
            lane.surveyed(SOMETHING_WAITS);
            assertThat(lane.keysToLookUp(new Batch(lane.nextRead(), List.of(row(1)), 1)))
                    .isEmpty();
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

        lane.receivedDue(List.of(new DueMessage(stored(2).delivery(), true)));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).singleElement().isInstanceOf(Change.Block.class);
    }

    @Example
    void a_due_message_waits_again_for_an_earlier_one_of_its_key_that_has_failed_and_is_not_saved() {
        Lane lane = lane(Order.key);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1));
        lane.finished(lane.nextNow(), FAILED);

        lane.receivedDue(List.of(new DueMessage(Delivery.stored(of(key, 2), 2, 0, Duration.ZERO), false)));

        assertThat(lane.nextNow()).isNull();
        assertThat(lane.toSave().changes()).hasSize(2).last().isInstanceOf(Change.Block.class);
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
        Lane lane = new Lane(
                new LaneStart(2, LEASE_ENDS, new SavedProgress(4, IdRanges.of(2, 3)), 0),
                options(Order.key),
                new LaneCounters(() -> 0),
                () -> now);
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
    void the_report_states_since_when_and_why_the_destination_is_unavailable_until_it_recovers() {
        Lane lane = lane(Order.key);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), Result.unavailable(FAILURE, Duration.ZERO));
        now += Duration.ofSeconds(5).toNanos();
        Failure timeout = new Failure("java.net.SocketTimeoutException", "of 77", "", "", "timed out");
        lane.finished(lane.nextNow(), Result.unavailable(timeout, Duration.ZERO));

        assertThat(lane.report())
                .isEqualTo(new LaneReport(
                        2,
                        OptionalInt.empty(),
                        Optional.of(new Outage(Duration.ofSeconds(5), "timed out", Duration.ofSeconds(2)))));

        now += Duration.ofSeconds(2).toNanos();
        lane.finished(lane.nextNow(), Result.DELIVERED);
        assertThat(lane.report()).isEqualTo(new LaneReport(1, OptionalInt.of(0), Optional.empty()));
        assertThat(lane.report().latencyMillis()).as("since the last report").isEmpty();
    }

    @Example
    void the_state_tells_since_when_the_first_missing_id_is_missing_until_it_is_filled_or_settled() {
        Lane lane = lane(Order.none);
        receive(lane, true, 3);
        now = 5_000_000_000L;
        receive(lane, true, 5);
        assertThat(lane.snapshot().missingIds()).isEqualTo(3);
        assertThat(lane.snapshot().oldestMissing()).isEqualTo(Duration.ofSeconds(5));
        assertThat(lane.snapshot().inFlight()).isEqualTo(2);

        lane.finished(lane.nextNow(), Result.DELIVERED);
        lane.finished(lane.nextNow(), Result.DELIVERED);
        now = 6_000_000_000L;
        receive(lane, false, 1, 2);
        assertThat(lane.snapshot().missingIds()).isEqualTo(1);
        assertThat(lane.snapshot().oldestMissing()).as("that of id 4").isEqualTo(Duration.ofSeconds(1));

        lane.finished(lane.nextNow(), Result.DELIVERED);
        lane.observed(NOBODY);
        receive(lane, true);
        assertThat(lane.snapshot().missingIds()).as("id 4 was rolled back").isZero();
        assertThat(lane.snapshot().oldestMissing()).isZero();
    }

    @Example
    void the_state_tells_whether_the_lease_holds() {
        Lane lane = lane(Order.key);
        assertThat(lane.snapshot().leaseHolds()).isTrue();
        now = LEASE_ENDS;
        assertThat(lane.snapshot().leaseHolds()).isFalse();
        lane.renewed(now + 1);
        assertThat(lane.snapshot().leaseHolds()).isTrue();
        lane.close();
        assertThat(lane.snapshot().leaseHolds()).isFalse();
    }

    @Example
    void it_is_time_to_report_as_often_as_a_lease_is_renewed() {
        Lane lane = lane(Order.key);
        assertThat(lane.reportIsDue()).isFalse();
        now = Duration.ofSeconds(3).toNanos();
        assertThat(lane.reportIsDue()).isTrue();

        lane.report();

        assertThat(lane.reportIsDue()).isFalse();
    }

    @Example
    void what_is_delivered_is_counted_on_from_what_the_table_says() {
        LaneStart start = new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 40);
        Lane lane = new Lane(start, options(Order.key), counters, () -> now);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), Result.DELIVERED);
        lane.finished(lane.nextNow(), FAILED);

        Save save = lane.toSave();
        assertThat(save.delivered()).isEqualTo(41);
        lane.saveFailed(save);

        assertThat(lane.toSave().delivered()).as("saved again").isEqualTo(41);
        assertThat(counters.delivered()).isEqualTo(1);
    }

    @Example
    void a_message_that_is_sent_again_because_an_earlier_one_failed_counts_when_it_is_delivered_for_good() {
        LaneOptions pipelined = options(Order.key, true);
        LaneStart start = new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0);
        Lane lane = new Lane(start, pipelined, counters, () -> now);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1), of(key, 2));
        Delivery first = lane.nextNow();
        Delivery second = lane.nextNow();

        lane.finished(second, Result.DELIVERED);
        lane.finished(first, FAILED);

        assertThat(counters.delivered()).isZero();
        assertThat(counters.messageFailures()).isEqualTo(1);
    }

    @Example
    void failures_are_counted_by_their_kind_and_dead_letters_when_they_are_stored() {
        Lane lane = lane(Order.none);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), Result.dead(FAILURE));
        lane.finished(lane.nextNow(), FAILED);
        receive(lane, true, 3);
        lane.finished(lane.nextNow(), Result.unavailable(FAILURE, Duration.ZERO));
        Save save = lane.toSave();

        assertThat(counters.poison()).isEqualTo(1);
        assertThat(counters.messageFailures()).isEqualTo(1);
        assertThat(counters.destinationFailures()).isEqualTo(1);
        assertThat(counters.deadLettered()).as("before it is stored").isZero();
        lane.saved(save, List.of());
        assertThat(counters.deadLettered()).isEqualTo(1);
    }

    /** It has failed twice. */
    private static DueMessage stored(long id) {
        return new DueMessage(Delivery.stored(message(id, null), id, 2, Duration.ZERO), false);
    }

    /** A window of four, read in batches of two. */
    private Lane lane(Order order) {
        return new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0),
                options(order),
                counters,
                () -> now);
    }

    private static LaneOptions options(Order order) {
        return options(order, false);
    }

    private static LaneOptions options(Order order, boolean pipelined) {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), new Random(1));
        RetryPolicy retry = new RetryPolicy(3, Duration.ofDays(1), backoff, OnDead.CONTINUE);
        return new LaneOptions(
                order,
                pipelined,
                8,
                2,
                1_000,
                4,
                retry,
                Duration.ofMillis(100),
                Duration.ofSeconds(3),
                Lane.REFUSED_INTERVAL);
    }

    private static void receive(Lane lane, boolean complete, long... ids) {
        receive(lane, complete, LongStream.of(ids).mapToObj(LaneTest::row).toList());
    }

    private static void receiveMessages(Lane lane, Message... messages) {
        receive(
                lane,
                false,
                Stream.of(messages)
                        .map(message -> new Batch.Row(message.id(), message))
                        .toList());
    }

    /** A read that is not complete was cut to its bytes. */
    private static void receive(Lane lane, boolean complete, List<Batch.Row> rows) {
        Read read = lane.nextRead();
        assertThat(read).isNotNull();
        lane.received(new Batch(read, rows, complete ? rows.size() : rows.size() + 1), Set.of());
    }

    private static Key keyOf(long id) {
        return message(id, null).key();
    }

    private static Batch.Row row(long id) {
        return new Batch.Row(id, message(id, null));
    }

    private static Message message(long id, String payload) {
        return message(id, new Key("order", "" + id), payload);
    }

    private static Message of(Key key, long id) {
        return message(id, key, null);
    }

    private static Message message(long id, Key key, String payload) {
        return new Message(id, new UUID(0, id), key, "created", null, payload, Instant.EPOCH);
    }
}
