package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.SystemClock;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.progress.Read;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Example;

/** When a lane may start messages, and when it saves. */
class LaneLeaseTest extends LaneFixture {
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
    void a_message_that_was_taken_after_an_unnoticed_suspension_is_not_sent() throws Exception {
        SystemClock clock = new SystemClock(() -> 0, () -> TimeUnit.NANOSECONDS.toMillis(now));
        Lane lane = new Lane(
                new LaneStart(1, LEASE_ENDS, new SavedProgress(0, new IdRanges()), 0, ProvenSession.NONE),
                options(Order.key),
                counters,
                clock,
                () -> ProvenSession.NONE,
                RateShare.UNLIMITED);
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
        lane.received(new Batch(read, List.of(message(3)), 1, Set.of()), Set.of());

        assertThat(lane.toSave().progress()).isEqualTo(before);
        assertThat(lane.next()).isEmpty();
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

    @Example
    void lanes_that_were_claimed_or_saved_at_different_times_renew_their_leases_together() {
        Lane one = lane(Order.key);
        now = Duration.ofMillis(2_500).toNanos();
        Lane other = lane(Order.key);
        now = Duration.ofMillis(2_999).toNanos();
        assertThat(one.saveIsDue() || other.saveIsDue()).isFalse();

        now = Duration.ofSeconds(3).toNanos();
        assertThat(one.saveIsDue() && other.saveIsDue()).isTrue();

        one.toSave();
        now = Duration.ofMillis(3_900).toNanos();
        other.toSave();
        now = Duration.ofSeconds(6).toNanos();
        assertThat(one.saveIsDue() && other.saveIsDue()).isTrue();
    }

    /** Of one row these leave 0.2 MB of old versions, see OldTransactionIT; without fewer saves they would leave 9 MB. */
    @Example
    void during_an_hour_in_which_old_versions_of_the_row_stay_it_is_written_825_times_at_most() {
        Lane lane = lane(Order.key);
        int writes = 0;
        long reportedAt = 0;
        Duration horizon = Duration.ZERO;
        for (long millis = 0; millis < 3_600_000; millis += 50) {
            now = Duration.ofMillis(millis).toNanos();
            if (millis % 5_000 == 0) {
                horizon = Duration.ofMillis(millis);
                lane.saveLessOften(horizon);
            }
            if (lane.saveIsDue()) {
                lane.saveFailed(lane.toSave()); // there is always something new
                writes++;
            }
            Duration untilReport = options(Order.key).reportInterval(horizon);
            if (now - reportedAt >= untilReport.toNanos()) {
                reportedAt = now;
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
}
