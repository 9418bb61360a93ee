package dev.caravan.operate.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.DatabaseClock;
import dev.caravan.operate.subscription.SubscriptionStatus;
import dev.caravan.operate.watch.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StoredHistoryIT {
    private static final Instant START = Instant.parse("2026-03-01T00:00:00Z");

    private final TestOutbox outbox = TestOutbox.create();
    private final StoredHistory history = new StoredHistory(outbox.dataSource());

    @BeforeEach
    void open() throws Exception {
        outbox.execute("insert into outbox_subscription (name, position) values ('sms', 0), ('mail', 0)");
    }

    @Test
    void several_relays_store_one_row_per_subscription_and_five_minutes() throws Exception {
        StoredHistory other = new StoredHistory(outbox.dataSource());
        outbox.insert(3);

        for (int second = 0; second < 600; second += 30) {
            add(history, START.plusSeconds(second), 10);
            add(other, START.plusSeconds(second), 20);
        }

        assertThat(outbox.number("select count(*) from outbox_history")).isEqualTo(4);
        assertThat(outbox.number("select max(delivered) from outbox_history")).isEqualTo(10); // the first one stays
        assertThat(outbox.number("select min(last_id) from outbox_history")).isEqualTo(3);
    }

    @Test
    void a_peak_between_two_rows_is_in_the_second_one() throws Exception {
        RecentSamples samples = new RecentSamples();
        for (int seconds = 0; seconds <= 600; seconds += 5) {
            samples.add(RecentSamplesTest.sample(START.plusSeconds(seconds), seconds, seconds == 450 ? 90 : 1));
            if (seconds % 300 == 0) {
                history.store(samples.largest(Duration.ofMinutes(5)), START.plusSeconds(seconds));
            }
        }

        History found = between(START, START.plusSeconds(86_400), Optional.empty());
        assertThat(found.subscriptions().get("orders").lagSeconds()).isEqualTo(List.of(1.0, 1.0, 90.0));
        assertThat(found.subscriptions().get("orders").ratePerSecond()).isEqualTo(Arrays.asList(null, 1.0, 1.0));
    }

    @Test
    void what_is_older_than_seven_days_is_deleted_so_that_the_table_is_bounded() throws Exception {
        for (int hour = 0; hour <= 8 * 24; hour += 4) {
            add(history, START.plus(Duration.ofHours(hour)), hour);
        }

        assertThat(outbox.number("select count(*) from outbox_history")).isEqualTo(2 * (7 * 6 + 1));
    }

    @Test
    void a_relay_whose_clock_is_wrong_stores_its_sample_at_the_time_of_the_database_and_deletes_nothing()
            throws Exception {
        add(history, DatabaseClock.now(outbox.dataSource()).minus(Duration.ofHours(1)), 10);

        history.add(sampled(Instant.now().plus(Duration.ofDays(30))));

        assertThat(outbox.number("select count(*) from outbox_history")).isEqualTo(4);
        assertThat(outbox.number("select count(*) from outbox_history where at > clock_timestamp()"))
                .isZero();
    }

    @Test
    void a_day_has_steps_of_five_minutes_with_rates_and_a_missing_step_is_a_gap() throws Exception {
        add(history, START, 0);
        add(history, START.plusSeconds(300), 300);
        add(history, START.plusSeconds(900), 600);
        outbox.execute("delete from outbox_history where subscription = 'mail' and at = '2026-03-01 00:05Z'");

        History found = between(START, START.plusSeconds(86_400), Optional.empty());

        assertThat(found.intervalSeconds()).isEqualTo(300);
        assertThat(found.at())
                .extracting(Instant::toString)
                .containsExactly(
                        "2026-03-01T00:00:00Z", "2026-03-01T00:05:00Z", "2026-03-01T00:10:00Z", "2026-03-01T00:15:00Z");
        assertThat(found.subscriptions().get("sms").ratePerSecond()).isEqualTo(Arrays.asList(null, 1.0, null, null));
        assertThat(found.subscriptions().get("sms").lagSeconds()).isEqualTo(Arrays.asList(0.0, 0.0, null, 0.0));
        assertThat(found.subscriptions().get("mail").ratePerSecond()).isEqualTo(Arrays.asList(null, null, null, null));
    }

    @Test
    void a_week_has_steps_of_half_an_hour_and_keeps_short_peaks() throws Exception {
        for (int minute = 0; minute < 60; minute += 5) {
            add(history, START.plusSeconds(minute * 60), minute * 60);
        }
        outbox.execute(
                "update outbox_history set lag_seconds = 99 where subscription = 'sms' and at = '2026-03-01 00:40Z'");

        History found = between(START, START.plus(StoredHistory.KEPT), Optional.empty());

        assertThat(found.intervalSeconds()).isEqualTo(1800);
        assertThat(found.at())
                .extracting(Instant::toString)
                .containsExactly("2026-03-01T00:25:00Z", "2026-03-01T00:55:00Z"); // the last row of each step
        assertThat(found.subscriptions().get("sms").lagSeconds()).isEqualTo(List.of(0.0, 99.0));
        assertThat(found.subscriptions().get("sms").ratePerSecond()).isEqualTo(Arrays.asList(null, 1.0));
    }

    @Test
    void a_range_has_the_rows_from_its_begin_to_its_end_of_the_subscription_that_is_asked_for() throws Exception {
        for (int minute = 0; minute < 60; minute += 5) {
            add(history, START.plusSeconds(minute * 60), minute * 60);
        }

        History found = between(START.plusSeconds(600), START.plusSeconds(1200), Optional.of("sms"));

        assertThat(found.at())
                .extracting(Instant::toString)
                .containsExactly("2026-03-01T00:10:00Z", "2026-03-01T00:15:00Z");
        assertThat(found.subscriptions()).containsOnlyKeys("sms");
    }

    private History between(Instant from, Instant to, Optional<String> subscription) throws Exception {
        return new Charts(outbox.dataSource(), new RecentSamples(), false, Optional.empty())
                .history(from, to, subscription);
    }

    private void add(StoredHistory to, Instant at, long delivered) throws Exception {
        outbox.execute("update outbox_subscription set delivered = " + delivered);
        to.store(sampled(at).largest(Duration.ofMinutes(5)), at);
    }

    private RecentSamples sampled(Instant at) throws Exception {
        RecentSamples samples = new RecentSamples();
        samples.add(new Sample(at, SubscriptionStatus.all(outbox.dataSource()), List.of(), List.of(), List.of()));
        return samples;
    }
}
