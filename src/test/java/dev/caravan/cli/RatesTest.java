package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.database.BoundedCount;
import dev.caravan.operate.subscription.DestinationStatus;
import dev.caravan.operate.subscription.LaneStatus;
import dev.caravan.operate.subscription.SubscriptionStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RatesTest {
    private Duration lag = Duration.ofMinutes(1);
    private static final BoundedCount NONE = new BoundedCount(0, false);

    private long now = 5_000_000_000L;
    private final Rates rates = new Rates(() -> now);

    @Test
    void the_first_sample_has_no_rate() {
        Rates.Pace first = look(status(700, 40));

        assertThat(first.perSecond()).isEmpty();
        assertThat(first.untilDrained()).isEmpty();
    }

    @Test
    void the_rate_is_what_all_lanes_have_delivered_since_the_last_sample() {
        look(status(40, 100, 200));
        passSeconds(4);

        assertThat(look(status(40, 130, 210)).perSecond()).hasValue(10);
    }

    @Test
    void a_backlog_that_falls_is_drained_in_time_whatever_comes_in_meanwhile() {
        look(status(1_000, 0));
        passSeconds(2);

        assertThat(look(status(900, 500)).untilDrained()).hasValue(Duration.ofSeconds(18));
    }

    @Test
    void a_backlog_that_grows_stays_or_is_empty_has_no_time_to_drain() {
        look(status(1_000, 0));
        for (long backlog : List.of(1_001L, 1_001L, 0L)) {
            passSeconds(1);

            assertThat(look(status(backlog, 500)).untilDrained()).isEmpty();
        }
    }

    @Test
    void a_missed_sample_makes_the_time_longer_and_not_the_rate_higher() {
        look(status(0, 100));
        passSeconds(30);

        assertThat(look(status(0, 160)).perSecond()).hasValue(2);
    }

    @Test
    void a_subscription_that_was_deleted_and_created_again_begins_anew() {
        look(status(0, 100));
        passSeconds(1);
        assertThat(look(status(0, 1)).perSecond()).isEmpty();
        passSeconds(1);

        assertThat(look(status(0, 3)).perSecond()).hasValue(2);
    }

    @Test
    void one_that_is_missing_in_a_sample_begins_anew() {
        look(status(0, 100));
        rates.update(List.of());
        passSeconds(1);

        assertThat(look(status(0, 200)).perSecond()).isEmpty();
    }

    @Test
    void a_subscription_that_is_up_to_date_has_no_time_to_drain() {
        lag = Duration.ofSeconds(2);
        look(status(14, 100));
        passSeconds(1);

        assertThat(look(status(7, 110)).untilDrained()).isEmpty();
    }

    private Rates.Pace look(SubscriptionStatus status) {
        return rates.update(List.of(status)).get(0);
    }

    private void passSeconds(int seconds) {
        now += seconds * 1_000_000_000L;
    }

    /** @param delivered by each of its lanes */
    private SubscriptionStatus status(long backlog, long... delivered) {
        return new SubscriptionStatus(
                "sms",
                LongStream.of(delivered).mapToObj(RatesTest::lane).toList(),
                0,
                0,
                backlog,
                lag,
                false,
                Optional.empty(),
                false,
                NONE,
                NONE,
                NONE,
                NONE,
                Duration.ZERO,
                NONE,
                Duration.ZERO);
    }

    private static LaneStatus lane(long delivered) {
        return new LaneStatus(
                0,
                0,
                0,
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty(),
                false,
                delivered,
                Optional.empty(),
                Optional.empty(),
                new DestinationStatus(DestinationStatus.State.UNKNOWN, Optional.empty()),
                Optional.empty());
    }
}
