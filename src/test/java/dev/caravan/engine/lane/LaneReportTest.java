package dev.caravan.engine.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.engine.lane.LaneCounters.Count;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.SavedProgress;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Order;
import dev.caravan.engine.schedule.Outage;
import dev.caravan.engine.schedule.Result;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import net.jqwik.api.Example;

/** What a lane reports and counts. */
class LaneReportTest extends LaneFixture {
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
                        Optional.of(new Outage(Duration.ofSeconds(5), "timed out", Duration.ofSeconds(2))),
                        Optional.empty()));

        now += Duration.ofSeconds(2).toNanos();
        lane.finished(lane.nextNow(), Result.DELIVERED);
        assertThat(lane.report()).isEqualTo(new LaneReport(1, OptionalInt.of(0), Optional.empty(), Optional.empty()));
        assertThat(lane.report().latencyMillis()).as("since the last report").isEmpty();
    }

    @Example
    void the_state_shows_since_when_the_first_missing_id_is_missing_until_it_is_filled_or_settled() {
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
    void the_state_shows_whether_the_lease_holds() {
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
    void a_report_is_made_as_often_as_a_lease_is_renewed_and_less_often_while_old_row_versions_remain() {
        LaneSettings options = options(Order.key);

        assertThat(options.reportInterval(Duration.ZERO)).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.reportInterval(Duration.ofSeconds(10))).isEqualTo(Duration.ofSeconds(23));
        assertThat(options.reportInterval(Duration.ofHours(1))).isEqualTo(Duration.ofSeconds(103));
    }

    @Example
    void deliveries_are_counted_from_the_number_in_the_table() {
        Lane lane = lane(options(Order.key), new SavedProgress(0, new IdRanges()), 40);
        receive(lane, true, 1, 2);
        lane.finished(lane.nextNow(), Result.DELIVERED);
        lane.finished(lane.nextNow(), FAILED);

        Save save = lane.toSave();
        assertThat(save.delivered()).isEqualTo(41);
        lane.saveFailed(save);

        assertThat(lane.toSave().delivered()).as("saved again").isEqualTo(41);
        assertThat(counters.of(Count.DELIVERED)).isEqualTo(1);
    }

    @Example
    void a_message_that_is_sent_again_because_an_earlier_one_failed_counts_when_it_is_delivered_for_good() {
        Lane lane = lane(options(Order.key, true), new SavedProgress(0, new IdRanges()), 0);
        Key key = new Key("order", "1");
        receiveMessages(lane, of(key, 1), of(key, 2));
        Delivery first = lane.nextNow();
        Delivery second = lane.nextNow();

        lane.finished(second, Result.DELIVERED);
        lane.finished(first, FAILED);

        assertThat(counters.of(Count.DELIVERED)).isZero();
        assertThat(counters.of(Count.MESSAGE_FAILURES)).isEqualTo(1);
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

        assertThat(counters.of(Count.POISON)).isEqualTo(1);
        assertThat(counters.of(Count.MESSAGE_FAILURES)).isEqualTo(1);
        assertThat(counters.of(Count.DESTINATION_FAILURES)).isEqualTo(1);
        assertThat(counters.of(Count.DEAD_LETTERED)).as("before it is stored").isZero();
        lane.saved(save, List.of());
        assertThat(counters.of(Count.DEAD_LETTERED)).isEqualTo(1);
    }
}
