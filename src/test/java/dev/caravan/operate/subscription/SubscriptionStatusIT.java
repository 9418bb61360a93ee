package dev.caravan.operate.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SubscriptionStatusIT {
    private static final Duration HOUR = Duration.ofHours(1);

    private final TestOutbox database = TestOutbox.create();

    @Test
    void a_subscription_that_delivered_all_has_neither_backlog_nor_lag() throws SQLException {
        database.insert(10);
        database.execute("insert into outbox_subscription (name, position) values ('idle', 10)");

        SubscriptionStatus status = only();

        assertThat(status.backlog()).isZero();
        assertThat(status.lag()).isZero();
        assertThat(status.owner()).isEmpty();
        assertThat(status.leaseLeft()).isEmpty();
    }

    @Test
    void lag_is_the_age_of_the_first_message_after_the_position() throws SQLException {
        database.insert(10);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 5");
        database.execute("insert into outbox_subscription (name, position) values ('behind', 4)");

        SubscriptionStatus status = only();

        assertThat(status.backlog()).isEqualTo(6);
        assertThat(status.lag()).isBetween(HOUR, HOUR.plusMinutes(1));
    }

    /** Otherwise a role that may only insert could make every backlog as large as it likes. */
    @Test
    void a_message_whose_id_somebody_has_chosen_is_one_of_the_backlog() throws SQLException {
        database.insert(3);
        database.execute("insert into outbox_subscription (name, position) values ('behind', 1);"
                + " insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                + " values (9223372036854775807, 'order', '9', 'order.created'), (-1, 'order', '9', 'order.created')");

        assertThat(only().backlog()).isEqualTo(3);
    }

    @Test
    void a_message_may_be_of_any_time() throws SQLException {
        database.insert(3);
        database.execute("insert into outbox_subscription (name, position) values ('behind', 0)");
        database.execute(
                "insert into outbox_subscription (name, position, gaps) values ('gappy', 3, '{[1,2), [2,4)}')");
        for (String time : List.of("infinity", "294276-12-31", "-infinity", "4713-01-01 BC")) {
            database.execute("update outbox set created_at = '" + time + "'");
            for (SubscriptionStatus status : SubscriptionStatus.all(database.dataSource())) {
                assertThat(status.backlog()).isEqualTo(3);
                assertThat(status.lag()).as(time).isBetween(Duration.ZERO, Duration.ofDays(365_000));
            }
        }
    }

    /** Otherwise a role that may insert could hide that nothing is delivered. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0 | {}", "10 | {[1,11)}", "10 | {[1,2), [3,4), [5,6)}", "4 | {[1,2)}"})
    void a_message_from_the_future_does_not_hide_the_lag_of_those_after_it(long position, String gaps)
            throws SQLException {
        database.insert(10);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour';"
                + " update outbox set created_at = 'infinity' where id in (1, 2, 3)");
        database.execute("insert into outbox_subscription (name, position, gaps) values ('behind', " + position + ", '"
                + gaps + "')");

        assertThat(only().lag()).isBetween(HOUR, HOUR.plusMinutes(1));
    }

    /** The survey of all subscriptions must stay cheap. */
    @Test
    void of_messages_from_the_future_at_most_a_thousand_are_passed() throws SQLException {
        database.insert(1_001);
        database.execute("update outbox set created_at = 'infinity' where id <= 1000;"
                + " update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 1001");
        database.execute("insert into outbox_subscription (name, position) values ('behind', 0)");

        assertThat(only().lag()).isZero();

        database.execute("update outbox_subscription set position = 1");
        assertThat(only().lag()).isBetween(HOUR, HOUR.plusMinutes(1));
    }

    @Test
    void messages_in_gaps_count_and_missing_ids_have_no_age() throws SQLException {
        database.insert(10);
        database.execute("delete from outbox where id in (2, 3)");
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 4");
        database.execute("insert into outbox_subscription (name, position, gaps, owner, epoch, lease_until)"
                + " values ('gappy', 10, '{[2,5), [7,8)}', 'relay-1', 3, clock_timestamp() + interval '10 s')");

        SubscriptionStatus status = only();

        assertThat(status.gaps()).isEqualTo(4);
        assertThat(status.backlog()).isEqualTo(4);
        assertThat(status.lag()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(status.owner()).contains("relay-1");
        assertThat(status.epoch()).isEqualTo(3);
        assertThat(status.leaseLeft().orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
    }

    @Test
    void older_gaps_count_like_others() throws SQLException {
        database.insert(10);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 4");
        database.execute("insert into outbox_subscription (name, position, older_gaps)"
                + " values ('gappy', 10, '{[4,5), [7,8)}')");

        assertThat(only().gaps()).isEqualTo(2);
        assertThat(only().backlog()).isEqualTo(2);
        assertThat(only().lag()).isBetween(HOUR, HOUR.plusMinutes(1));

        database.execute("update outbox_subscription set gaps = '{[1,3)}', lanes = 2;"
                + " insert into outbox_subscription (name, lane, lanes, position, older_gaps)"
                + " values ('gappy', 1, 2, 10, '{[2,3), [9,10)}')");
        assertThat(only().gaps()).as("of any lane").isEqualTo(5);
        assertThat(only().lanes()).extracting(LaneStatus::gaps).containsExactly(4L, 2L);
    }

    @Test
    void the_oldest_message_in_gaps_determines_the_lag_whether_it_is_alone_or_in_a_row() throws SQLException {
        database.insert(10);
        database.execute("delete from outbox where id in (2, 3)");
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 4");
        database.execute("insert into outbox_subscription (name, position) values ('a', 10)");
        for (String gaps : List.of("{[2,3), [4,5), [6,9)}", "{[2,5), [6,7), [8,9)}", "{[4,5)}", "{[3,6)}")) {
            database.execute("update outbox_subscription set gaps = '" + gaps + "'");
            assertThat(only().lag()).as(gaps).isBetween(HOUR, HOUR.plusMinutes(1));
        }
    }

    @Test
    void a_thousand_missing_ids_are_looked_up_at_once() throws SQLException {
        database.insert(20_000);
        database.execute("delete from outbox where id % 20 = 0");
        database.execute("insert into outbox_subscription (name, position, gaps) select 'gappy', 20000,"
                + " range_agg(int8range(n * 20, n * 20 + 1)) from generate_series(1, 1000) n");
        database.execute("analyze");

        assertThat(only().gaps()).isEqualTo(1_000);
        assertThat(plan()).doesNotContain("loops=1000)");
    }

    @Test
    void what_has_failed_for_longest_is_reported() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        waiting("sms", "generate_series(1, 100)", "(n % 10)::text", false);
        database.execute("update outbox_retry set first_failed_at = now() - id * interval '1 minute'");
        database.execute("update outbox_retry set first_failed_at = now() - interval '1 hour' where id > 60");

        assertThat(only().blockedOldest()).isBetween(HOUR, HOUR.plusMinutes(1));
    }

    @Test
    void lanes_are_summed_up_to_the_one_furthest_behind() throws SQLException {
        database.insert(20);
        database.execute("update outbox set created_at = clock_timestamp() - interval '1 hour' where id = 2");
        database.execute(
                "insert into outbox_subscription (name, lane, lanes, position, gaps, owner, epoch, lease_until) values"
                        + " ('split', 0, 3, 10, '{[2,5)}', 'relay-1', 3, clock_timestamp() + interval '10 s'),"
                        + " ('split', 1, 3, 18, '{[4,7), [12,14)}', 'relay-2', 5, clock_timestamp() + interval '5 s'),"
                        + " ('split', 2, 3, 15, '{}', 'relay-1', 4, clock_timestamp() + interval '10 s')");

        SubscriptionStatus status = only();

        assertThat(status.position()).isEqualTo(10);
        assertThat(status.gaps()).isEqualTo(5);
        assertThat(status.backlog()).isEqualTo(15);
        assertThat(status.lag()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(status.owner()).contains("relay-1 (2), relay-2 (1)");
        assertThat(status.epoch()).isEqualTo(5);
        assertThat(status.leaseLeft().orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(5));
        assertThat(status.lanes()).extracting(LaneStatus::position).containsExactly(10L, 18L, 15L);
        assertThat(status.lanes()).extracting(LaneStatus::gaps).containsExactly(3L, 5L, 0L);
    }

    @Test
    void what_its_relays_report_is_summed_up_over_the_lanes_that_they_own() throws SQLException {
        database.execute("insert into outbox_subscription (name, lane, lanes, position, owner, lease_until,"
                + " delivered, in_flight, latency_millis, destination_unavailable_since, destination_error, next_probe_at) values"
                + " ('split', 0, 3, 1, 'r', clock_timestamp() + interval '10 s', 100, 3, 40, null, null, null),"
                + " ('split', 1, 3, 1, 'r', clock_timestamp() + interval '10 s', 20, 4, null,"
                + " clock_timestamp() - interval '1 hour', 'refused', clock_timestamp() + interval '20 s'),"
                + " ('split', 2, 3, 1, 'r', clock_timestamp() - interval '1 s', 3, 1000, 9000,"
                + " clock_timestamp() - interval '2 hours', 'of a relay that is gone', clock_timestamp())");

        SubscriptionStatus status = only();

        assertThat(status.delivered()).isEqualTo(123);
        assertThat(status.inFlight()).contains(7);
        assertThat(status.latencyMillis()).contains(40);
        var away = status.destination().outage().orElseThrow();
        assertThat(away.error()).isEqualTo("refused");
        assertThat(away.lasting()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(away.untilProbe()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(20));
        assertThat(status.lanes())
                .extracting(lane -> lane.destination().state())
                .containsExactly(
                        DestinationStatus.State.AVAILABLE,
                        DestinationStatus.State.UNAVAILABLE,
                        DestinationStatus.State.UNKNOWN);
    }

    @Test
    void nothing_is_known_of_a_destination_whose_lanes_have_no_owner() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('idle', 0)");

        SubscriptionStatus status = only();

        assertThat(status.destination().state()).isEqualTo(DestinationStatus.State.UNKNOWN);
        assertThat(status.inFlight()).isEmpty();
        assertThat(status.latencyMillis()).isEmpty();
    }

    @Test
    void what_waits_is_blocked_or_is_dead_is_counted_for_each_subscription() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0), ('email', 0)");
        waiting("sms", "generate_series(1, 3)", "n::text", false);
        waiting("sms", "generate_series(11, 15)", "(n % 2)::text", true);
        dead("email", 4);

        var all = SubscriptionStatus.all(database.dataSource());

        assertThat(counts(all.get(0))).isEqualTo("email: 0, 0 in 0, 4");
        assertThat(counts(all.get(1))).isEqualTo("sms: 3, 5 in 2, 0");
    }

    @Test
    void more_than_the_bound_is_reported_as_more() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        waiting("sms", "generate_series(1, 10000)", "n::text", false);
        dead("sms", 10_001);
        assertThat(counts(only())).isEqualTo("sms: 10000, 0 in 0, 10000+");

        waiting("sms", "generate_series(-9, 0)", "'0'", true);
        waiting("sms", "generate_series(10001, 10001)", "n::text", false);
        assertThat(counts(only())).isEqualTo("sms: 10000+, 10+ in 1+, 10000+");
    }

    @Test
    void keys_that_a_dead_letter_blocks_are_counted_and_have_an_age() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        dead("sms", 4);
        database.execute("update outbox_dead_letter set first_failed_at = now() - interval '1 hour',"
                + " last_failed_at = now() - interval '30 minutes' where id = 2");
        waiting("sms", "generate_series(11, 16)", "(2 + n % 2)::text", true);
        waiting("sms", "generate_series(20, 20)", "'4'", false);
        waiting("sms", "generate_series(21, 25)", "'4'", true);

        SubscriptionStatus status = only();

        assertThat(counts(status)).isEqualTo("sms: 1, 11 in 3, 4");
        assertThat(status.keysBlockedByDead()).hasToString("2");
        assertThat(status.blockedOldest()).isBetween(HOUR, HOUR.plusMinutes(1));
        assertThat(status.deadLetterOldest()).isBetween(Duration.ofMinutes(30), Duration.ofMinutes(31));
    }

    @Test
    void a_thousand_keys_that_dead_letters_block_are_looked_up() throws SQLException {
        database.execute("insert into outbox_subscription (name, position) values ('sms', 0)");
        dead("sms", 1_001);
        waiting("sms", "generate_series(2001, 3000)", "(n - 2000)::text", true);
        assertThat(only().keysBlockedByDead()).hasToString("1000");

        waiting("sms", "generate_series(3001, 3001)", "(n - 2000)::text", true);
        assertThat(only().keysBlockedByDead()).hasToString("1000+");
        assertThat(plan()).doesNotContain("Seq Scan on outbox_dead").contains("outbox_dead_letter_time");
    }

    private static String counts(SubscriptionStatus status) {
        return status.name() + ": " + status.waiting() + ", " + status.blocked() + " in " + status.blockedKeys() + ", "
                + status.deadLetters();
    }

    private void waiting(String name, String ids, String key, boolean blocked) throws SQLException {
        database.execute(
                "insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type, created_at,"
                        + " blocked, next_attempt_at) select '" + name + "', n, gen_random_uuid(), 'order', " + key
                        + ", 't', now(), " + blocked + ", case when not " + blocked + " then now() end from " + ids
                        + " n");
    }

    private void dead(String name, int count) throws SQLException {
        database.execute(
                "insert into outbox_dead_letter (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                        + " created_at, attempts, first_failed_at, last_failed_at, error_class, error_text, error_stack)"
                        + " select '" + name + "', n, gen_random_uuid(), 'order', n::text, 't', now(), 1, now(), now(),"
                        + " 'c', 't', 's' from generate_series(1, " + count + ") n");
    }

    @Test
    void large_tables_are_never_scanned_nor_counted_to_the_end() throws SQLException {
        database.insert(50_000);
        database.execute("insert into outbox_subscription (name, position, gaps) values"
                + " ('a', 100, '{[1,50), [60,70)}'), ('none', 0, '{}')");
        waiting("a", "generate_series(1, 30000)", "n::text", false);
        waiting("a", "generate_series(30001, 60000)", "(n % 100)::text", true);
        dead("a", 30_000);
        String justFilled = plan();
        database.execute("analyze");

        for (String plan : List.of(justFilled, plan())) {
            assertThat(plan)
                    .doesNotContain("Seq Scan on outbox_from", "Seq Scan on outbox_retry", "Seq Scan on outbox_dead")
                    .contains("outbox_from_0_pkey", "outbox_retry_due", "outbox_retry_key", "outbox_dead_letter")
                    .doesNotContainPattern("rows=[1-9]\\d{4}(?<!10001)\\b")
                    .doesNotContainPattern("Rows Removed by Filter: \\d{3,}");
        }
    }

    @Test
    void the_gaps_of_several_lanes_are_read_by_the_name_of_their_subscription() throws SQLException {
        database.execute("insert into outbox_subscription (name, lane, lanes, position, gaps)"
                + " select 'split-' || n, lane, 4, 10, '{[2,5)}' from generate_series(1, 50) n, generate_series(0, 3) lane;"
                + " analyze outbox_subscription");

        assertThat(SubscriptionStatus.all(database.dataSource())).hasSize(50).allMatch(status -> status.gaps() == 3);
        assertThat(plan()).contains("outbox_subscription_pkey on outbox_subscription of_lane");
    }

    private String plan() throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (var connection = database.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute(SubscriptionStatus.PLANS);
            Sql list = SubscriptionStatus.list(0);
            try (var statement =
                    connection.prepareStatement("explain (analyze, costs off, timing off) " + list.text())) {
                list.bind(statement);
                var rows = statement.executeQuery();
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
        }
        return plan.toString();
    }

    private SubscriptionStatus only() throws SQLException {
        var all = SubscriptionStatus.all(database.dataSource());
        assertThat(all).hasSize(1);
        return all.get(0);
    }
}
