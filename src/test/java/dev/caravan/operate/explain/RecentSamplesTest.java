package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecentSamplesTest {
    private static final DestinationStatus UNKNOWN =
            new DestinationStatus(DestinationStatus.State.UNKNOWN, Optional.empty());
    private final RecentSamples history = new RecentSamples();
    private Instant now = Instant.now().minusSeconds(600);

    @Test
    void rates_are_those_of_the_last_half_minute() {
        take(0, 1_000);
        assertThat(history.rate("orders")).isEmpty();

        for (int i = 1; i <= 10; i++) {
            take(100 * i, 1_000 - 90 * i);
        }

        assertThat(history.rate("orders")).contains(20.0);
        assertThat(history.secondsToDrain(status(1_000, 100))).contains(5.6); // it falls by 18 a second
        assertThat(history.recentRates("orders"))
                .hasSize(11)
                .startsWith((Double) null)
                .endsWith(20.0);
    }

    @Test
    void a_backlog_that_grows_has_no_time_to_drain() {
        take(0, 10);
        take(100, 500);

        assertThat(history.secondsToDrain(status(100, 500))).isEmpty();
    }

    @Test
    void a_subscription_has_no_progress_only_after_it_was_seen_without_any_for_that_long() {
        take(5, 10);
        take(5, 10);
        assertThat(history.hasNoProgress("orders", Duration.ofMinutes(2))).isFalse();

        for (int i = 0; i < 30; i++) {
            take(5, 10);
        }
        assertThat(history.hasNoProgress("orders", Duration.ofMinutes(2))).isTrue();

        take(6, 9);
        assertThat(history.hasNoProgress("orders", Duration.ofMinutes(2))).isFalse();
    }

    @Test
    void an_hour_is_kept() {
        for (int i = 0; i < 1_000; i++) {
            take(i, 0);
        }

        assertThat(history.recentRates("orders")).hasSize(60);
        assertThat(moments(Instant.MIN, Duration.ofSeconds(5))).hasSize(720);
    }

    @Test
    void the_times_are_in_order_although_the_clock_was_set_back() {
        for (int i = 0; i < 10; i++) {
            take(i, 0);
        }
        now = now.minusSeconds(20);
        take(10, 0);
        take(11, 0);

        assertThat(moments(Instant.MIN, Duration.ofSeconds(5)))
                .extracting(moment -> moment.at())
                .isSorted()
                .doesNotHaveDuplicates()
                .endsWith(now);
    }

    @Test
    void of_a_longer_step_the_largest_values_and_the_last_number_of_deliveries_are_shown() {
        now = Instant.parse("2026-03-01T00:00:00Z").minusSeconds(4); // the samples are 1 s after a step
        for (int lag : new int[] {1, 50, 3, 2}) {
            now = now.plusSeconds(5);
            history.add(Statuses.sample(now, status(lag * 10L, lag, Duration.ofSeconds(lag))));
        }

        List<RecentSamples.Point> points = moments(Instant.MIN, Duration.ofSeconds(10)).stream()
                .map(moment -> moment.points().get("orders"))
                .toList();
        assertThat(points).extracting(RecentSamples.Point::lagSeconds).containsExactly(50.0, 3.0);
        assertThat(points).extracting(RecentSamples.Point::delivered).containsExactly(500L, 20L);
        assertThat(points).extracting(RecentSamples.Point::latencyMillis).containsExactly(7, 7);
        assertThat(moments(now.minusSeconds(6), Duration.ofSeconds(5))).hasSize(2);
    }

    private List<History.Moment<RecentSamples.Point>> moments(Instant from, Duration step) {
        return history.moments(from, Instant.MAX, step, Optional.empty());
    }

    @Test
    void a_missed_sample_makes_the_time_longer_and_not_the_rate_higher() {
        take(0, 10);
        now = now.plusSeconds(35);
        take(80, 10);

        assertThat(history.rate("orders")).contains(2.0);
        assertThat(history.hasNoProgress("orders", Duration.ofSeconds(30))).isFalse();
    }

    @Test
    void a_rate_may_be_that_since_the_previous_sample() {
        RecentSamples samples = new RecentSamples(Duration.ZERO);
        for (long delivered : new long[] {0, 1_000, 1_100}) {
            now = now.plusSeconds(5);
            samples.add(Statuses.sample(now, status(delivered, 10)));
        }

        assertThat(samples.rate("orders")).contains(20.0);
    }

    @Test
    void a_subscription_that_was_deleted_and_created_again_has_delivered_nothing_meanwhile() {
        take(100, 10);
        take(1, 10);

        assertThat(history.rate("orders")).contains(0.0);
    }

    private void take(long delivered, long backlog) {
        now = now.plusSeconds(5);
        history.add(Statuses.sample(now, status(delivered, backlog)));
    }

    @Test
    void a_subscription_that_is_up_to_date_has_no_time_to_drain() {
        take(0, 14);
        take(100, 7);

        assertThat(history.secondsToDrain(status(100, 7, Duration.ofSeconds(2))))
                .isEmpty();
        assertThat(history.secondsToDrain(status(100, 7, Duration.ofSeconds(20))))
                .isPresent();
    }

    /** Of {@code orders}. */
    static Sample sample(Instant at, long delivered, long lagSeconds) {
        return Statuses.sample(at, status(delivered, 0, Duration.ofSeconds(lagSeconds)));
    }

    private static SubscriptionStatus status(long delivered, long backlog) {
        return status(delivered, backlog, Duration.ofMinutes(1));
    }

    private static SubscriptionStatus status(long delivered, long backlog, Duration lag) {
        LaneStatus lane = Statuses.lane(0, Optional.empty(), 1, delivered, UNKNOWN);
        return Statuses.subscription("orders", List.of(lane), backlog, lag, false, Optional.empty());
    }
}
