package dev.caravan.operate.subscription;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.operate.failed.FailureTables.anna;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.failed.MessageFilter;
import dev.caravan.operate.job.Jobs;
import java.sql.SQLException;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SubscriptionsIT {
    private final FailureTables tables = new FailureTables();
    private final Subscriptions subscriptions = new Subscriptions(tables.dataSource());

    @BeforeEach
    void start() throws SQLException {
        tables.execute(
                "insert into outbox_subscription (name, lane, lanes, position) values ('sms', 0, 2, 5), ('sms', 1, 2, 5),"
                        + " ('email', 0, 1, 5)");
    }

    @Test
    void pausing_stops_all_lanes_of_the_name_once() throws SQLException {
        assertThat(subscriptions.pause("sms", anna())).isTrue();
        assertThat(subscriptions.pause("sms", anna())).isFalse();

        assertThat(tables.count("outbox_subscription where paused")).isEqualTo(2);
        assertThat(tables.count("outbox_subscription where paused and name = 'email'"))
                .isZero();
        assertThat(tables.count("outbox_audit where action = 'pause' and who = 'anna'"))
                .isEqualTo(1);
    }

    @Test
    void resuming_starts_them_again() throws SQLException {
        subscriptions.pause("sms", anna());

        assertThat(subscriptions.resume("sms", anna())).isTrue();
        assertThat(subscriptions.resume("sms", anna())).isFalse();

        assertThat(tables.count("outbox_subscription where paused")).isZero();
        assertThat(tables.count("outbox_audit where action = 'resume'")).isEqualTo(1);
    }

    @Test
    void a_subscription_whose_lease_is_held_is_not_deleted() throws SQLException {
        tables.execute("update outbox_subscription set owner = 'relay-1', lease_until = clock_timestamp()"
                + " + interval '10 s' where name = 'sms' and lane = 1");

        assertThatThrownBy(() -> subscriptions.delete("sms", new Subscriptions.Content(0, 0), anna()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("relay-1");
        assertThat(tables.count("outbox_subscription where name = 'sms'")).isEqualTo(2);
    }

    @Test
    void the_lease_of_a_dead_holder_hinders_no_longer_than_it_lasts_after_the_clock_was_set_back() throws SQLException {
        tables.execute("update outbox_subscription set owner = 'relay-1', lease_millis = 10000,"
                + " lease_until = clock_timestamp() + interval '1 hour' where name = 'sms'");

        assertThatThrownBy(() -> subscriptions.requireUnused("sms")).isInstanceOf(Refusal.class);

        assertThat(tables.count("outbox_subscription where lease_until <= clock_timestamp() + interval '10 seconds'"))
                .isEqualTo(2);
    }

    @Test
    void a_lease_that_has_ended_does_not_hinder() throws SQLException {
        tables.execute("update outbox_subscription set owner = 'relay-1', lease_until = clock_timestamp()"
                + " - interval '1 s' where name = 'sms'");

        subscriptions.delete("sms", new Subscriptions.Content(0, 0), anna());

        assertThat(tables.count("outbox_subscription")).isEqualTo(1);
    }

    @Test
    void with_a_subscription_its_retries_and_dead_letters_are_deleted_and_nothing_else() throws SQLException {
        tables.dead("sms", 7);
        new DeadLetters(tables.dataSource()).retry(FailureTables.allOf(tables), anna());
        tables.dead("sms", 8);
        tables.dead("email", 8);

        subscriptions.delete("sms", new Subscriptions.Content(1, 1), anna());

        assertThat(tables.count("outbox_retry")).isZero();
        assertThat(tables.text("select string_agg(subscription, ' ') from outbox_dead_letter"))
                .isEqualTo("email");
        assertThat(tables.text("select detail::text from outbox_audit where action = 'delete'"))
                .isEqualTo("{\"lanes\": 2, \"retries\": 1, \"deadLetters\": 1}");
    }

    @Test
    void more_than_was_agreed_is_not_lost() throws SQLException {
        tables.dead("sms", 7);

        assertThatThrownBy(() -> subscriptions.delete("sms", new Subscriptions.Content(0, 0), anna()))
                .isInstanceOf(Refusal.class);
        assertThat(tables.count("outbox_dead_letter")).isEqualTo(1);
        assertThat(tables.count("outbox_subscription where name = 'sms'")).isEqualTo(2);
    }

    @Test
    void a_delete_waits_for_the_step_of_a_bulk_retry_without_a_deadlock() throws Exception {
        new Jobs(tables.dataSource()).startBulkRetry(MessageFilter.ALL, "sms", 0, OptionalInt.empty(), anna());
        var deleter = Executors.newSingleThreadExecutor();
        try (var step = tables.database.begin("select from outbox_job for update")) {

            Future<?> deleted = deleter.submit(() -> {
                subscriptions.delete("sms", new Subscriptions.Content(0, 0), anna());
                return null;
            });
            eventually(() -> assertThat(
                            tables.number(
                                    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
                    .isEqualTo(1));
            LaneChange.lockLanes(step.connection(), "sms");
            step.commit();
            deleted.get(60, TimeUnit.SECONDS);
        } finally {
            deleter.shutdownNow();
        }
        assertThat(tables.count("outbox_job")).isZero();
    }

    @Test
    void a_halted_one_that_is_resumed_after_an_id_has_no_gaps_from_before() throws Exception {
        tables.database.insert(5);
        tables.execute("insert into outbox_subscription (name, position, gaps, older_gaps, halted_at, halted_reason)"
                + " values ('halted', 9, '{[8,9)}', '{[6,7)}', now(), 'position 9 is ahead')");

        new HaltedSubscription(tables.dataSource(), "halted").resume(2, anna());

        assertThat(
                        tables.text(
                                "select concat_ws(' ', position, gaps, older_gaps is null) from outbox_subscription where name = 'halted'"))
                .isEqualTo("2 {} t");
    }
}
