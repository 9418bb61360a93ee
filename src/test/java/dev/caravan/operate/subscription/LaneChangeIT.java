package dev.caravan.operate.subscription;

import static dev.caravan.operate.failed.FailureTables.anna;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.database.Sql;
import dev.caravan.operate.failed.DeadLetters;
import dev.caravan.operate.failed.FailureTables;
import dev.caravan.operate.failed.Selection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneChangeIT {
    private final FailureTables tables = new FailureTables();

    @Test
    void from_one_lane_to_many_each_gets_what_is_not_done_of_its_keys() throws Exception {
        insert(100);
        tables.execute("delete from outbox where id = 50"); // not visible: nobody knows its key
        tables.execute("insert into outbox_subscription (name, position, gaps, epoch, types, paused)"
                + " values ('sms', 90, '{[10,21), [50,51)}', 7, '{order.%}', true)");

        assertThat(change(4).advance().done()).isTrue();

        assertThat(tables.text(
                        "select string_agg(distinct concat_ws(' ', lanes, position, epoch, types, paused, owner is null), ',')"
                                + " from outbox_subscription"))
                .isEqualTo("4 90 8 {order.%} t t");
        assertThat(undone(4)).isEqualTo(ids(10, 20));
        assertThat(tables.number("select count(*) from outbox_subscription where gaps @> 50::bigint"))
                .as("lanes that wait for a missing id")
                .isEqualTo(4);
        assertThat(tables.text(
                        "select concat_ws(' ', who, action, subscription, detail->>'before', detail->>'lanes', reason)"
                                + " from outbox_audit"))
                .isEqualTo("anna lanes sms 1 4 because");
    }

    @Test
    void what_is_only_in_the_older_gaps_is_not_done_either() throws Exception {
        insert(100);
        tables.execute("delete from outbox where id = 50");
        tables.execute(
                "insert into outbox_subscription (name, position, older_gaps) values ('sms', 90, '{[10,21), [50,51)}')");

        assertThat(change(4).advance().done()).isTrue();

        assertThat(undone(4)).isEqualTo(ids(10, 20));
        assertThat(tables.number(
                        "select count(*) from outbox_subscription where gaps @> 50::bigint and older_gaps is null"))
                .isEqualTo(4);
    }

    @Test
    void lanes_at_different_positions_lose_and_repeat_nothing() throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < 20; round++) {
            tables.execute("truncate outbox; delete from outbox_subscription; delete from outbox_audit");
            tables.execute("alter sequence outbox_id_seq restart");
            insert(300);
            tables.execute("delete from outbox where id in (5, 100, 280)");
            int before = 1 + random.nextInt(5);
            Set<Long> undone = new HashSet<>();
            for (int lane = 0; lane < before; lane++) {
                int position = 200 + random.nextInt(100);
                int gap = 1 + random.nextInt(150);
                tables.execute(
                        "insert into outbox_subscription (name, lane, lanes, position, gaps, epoch) values ('sms', "
                                + lane + ", " + before + ", " + position + ", '{[" + gap + "," + (gap + 20) + ")}', "
                                + lane
                                + ")");
            }
            tables.execute("create or replace view undone as select outbox.id from outbox join outbox_subscription s"
                    + " on s.lane = outbox_lane(aggregate_type, aggregate_id, s.lanes)"
                    + " where outbox.id > s.position or s.gaps @> outbox.id");
            undone.addAll(idsOf("select id from undone"));
            int after = 1 + (before + random.nextInt(4)) % 6;
            if (after == before) {
                continue;
            }

            assertThat(change(after).advance().done()).isTrue();

            assertThat(idsOf("select id from undone"))
                    .as("round %d: %d to %d", round, before, after)
                    .isEqualTo(undone);
            assertThat(tables.number("select count(*) from outbox_subscription where lanes = " + after + " and epoch = "
                            + before))
                    .isEqualTo(after);
            assertThat(tables.number("select count(*) from outbox_subscription"))
                    .isEqualTo(after);
        }
    }

    @Test
    void the_count_of_deliveries_continues_and_the_reports_of_the_owners_are_cleared() throws Exception {
        tables.execute(
                "insert into outbox_subscription (name, lane, lanes, position, delivered, in_flight, latency_millis,"
                        + " destination_unavailable_since, destination_error, next_probe_at)"
                        + " select 'sms', lane, 3, 0, 10 * (lane + 1), 1, 1, now(), 'refused', now() from generate_series(0, 2) lane");

        assertThat(change(5).advance().done()).isTrue();
        assertThat(tables.text("select string_agg(delivered::text, ' ' order by lane) from outbox_subscription"))
                .isEqualTo("10 20 30 0 0");
        assertThat(tables.number(
                        "select count(*) from outbox_subscription where coalesce(in_flight, latency_millis) is not null"
                                + " or destination_unavailable_since is not null"))
                .isZero();

        assertThat(change(2).advance().done()).isTrue();
        assertThat(tables.text("select string_agg(delivered::text, ' ' order by lane) from outbox_subscription"))
                .isEqualTo("40 20");
    }

    @Test
    void lanes_that_are_far_apart_are_waited_for() throws Exception {
        insert(1);
        tables.execute(
                "insert into outbox_subscription (name, lane, lanes, position) values ('sms', 0, 2, 50000), ('sms', 1, 2, 1)");

        LaneChange.Step step = change(1).advance();

        assertThat(step.done()).isFalse();
        assertThat(step.waitsFor())
                .isEqualTo(
                        "lane 1 to read from id 1 to 50000, which the other lanes have reached: a relay whose route has lanes 2 must run");
        assertThat(tables.number("select count(*) from outbox_subscription where barrier = 50000 and lanes = 2"))
                .isEqualTo(2);

        tables.execute("update outbox_subscription set position = 50000");
        assertThat(change(1).advance().done()).isTrue();
    }

    @Test
    void a_lane_that_has_an_owner_is_waited_for_until_its_lease_ends() throws Exception {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 0, 'relay-1', clock_timestamp() + interval '1 minute')");
        assertThat(change(2).advance().waitsFor()).contains("relay-1");

        tables.execute("update outbox_subscription set lease_until = clock_timestamp()");

        assertThat(change(2).advance().done()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "raise exception 'disk full' | disk full",
                "perform pg_terminate_backend(pg_backend_pid()) | terminating connection",
            })
    void relays_continue_at_once_when_a_statement_of_the_change_or_its_connection_fails(String failing, String text)
            throws Exception {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 0, 'relay-1', clock_timestamp() + interval '1 minute')");
        LaneChange change = change(2);
        assertThat(change.advance().waitsFor()).contains("relay-1");
        tables.execute("update outbox_subscription set lease_until = clock_timestamp();"
                + " create function fail() returns trigger language plpgsql as 'begin "
                + failing.replace("'", "''")
                + "; return new; end';"
                + " create trigger fail before insert on outbox_audit for each row execute function fail()");

        assertThatThrownBy(change::advance).isInstanceOf(SQLException.class).hasMessageContaining(text);

        assertThat(tables.number("select count(*) from outbox_subscription where barrier is null and lanes = 1"))
                .isEqualTo(1);
    }

    @Test
    void a_change_that_has_set_no_barrier_leaves_that_of_another_one() throws Exception {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until)"
                + " values ('sms', 0, 'relay-1', clock_timestamp() + interval '1 minute')");
        change(2).advance();
        tables.execute("alter table outbox_subscription add constraint no_barrier check (barrier is null) not valid");

        LaneChange other = new LaneChange(tables.dataSource(), "sms", 3, anna());
        assertThatThrownBy(other::advance).hasMessageContaining("no_barrier");

        assertThat(tables.number("select count(*) from outbox_subscription where barrier is not null"))
                .isEqualTo(1);
    }

    @Test
    void the_lease_of_a_dead_holder_is_waited_for_no_longer_than_it_lasts_after_the_clock_was_set_back()
            throws Exception {
        tables.execute("insert into outbox_subscription (name, position, owner, lease_until, lease_millis)"
                + " values ('sms', 0, 'relay-1', clock_timestamp() + interval '1 hour', 10000)");

        assertThat(change(2).advance().waitsFor()).contains("relay-1");

        assertThat(tables.number("select count(*) from outbox_subscription"
                        + " where lease_until <= clock_timestamp() + interval '10 seconds'"))
                .isEqualTo(1);
    }

    @Test
    void what_has_the_wanted_number_is_not_touched_and_what_does_not_exist_is_refused() throws Exception {
        tables.execute("insert into outbox_subscription (name, position, epoch) values ('sms', 3, 4)");

        assertThat(change(1).advance().done()).isTrue();

        assertThat(tables.number("select epoch from outbox_subscription")).isEqualTo(4);
        assertThat(tables.count("outbox_audit")).isZero();
        assertThatThrownBy(() -> new LaneChange(tables.dataSource(), "none", 2, anna()).advance())
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("Subscription none does not exist");
    }

    /** Its row would stay in the old lane, where no relay looks for its key. */
    @Test
    void a_retry_of_a_dead_letter_and_a_change_of_lanes_wait_for_each_other() throws Exception {
        tables.execute("insert into outbox_subscription (name, position) values ('sms', 100)");
        for (int id = 1; id <= 20; id++) {
            tables.dead("sms", id);
        }
        Selection.Chunk all = FailureTables.allOf(tables);
        CompletableFuture<Integer> retry;
        try (Connection change = tables.database.unpooled().getConnection()) {
            change.setAutoCommit(false);
            Sql.file("operate/lanes_to_change").with("name", "sms").query(change, row -> row.getInt("lane"));
            Sql.file("operate/change_lanes")
                    .with("name", "sms")
                    .with("lanes", 8)
                    .update(change);
            retry = CompletableFuture.supplyAsync(() -> retry(all));
            awaitSomebodyWaits();
            Sql.file("operate/move_retries")
                    .with("lanes", 8)
                    .with("name", "sms")
                    .update(change);
            Sql.file("operate/move_dead_letters")
                    .with("lanes", 8)
                    .with("name", "sms")
                    .update(change);
            change.commit();
        }

        assertThat(retry.join()).isEqualTo(20);
        assertThat(tables.number(
                        "select count(*) from outbox_retry where lane = outbox_lane(aggregate_type, aggregate_id, 8)"))
                .isEqualTo(20);
        assertThat(tables.number("select count(distinct lane) from outbox_retry"))
                .isGreaterThan(1);
    }

    private int retry(Selection.Chunk all) {
        try {
            return new DeadLetters(tables.dataSource()).retry(all, anna());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitSomebodyWaits() throws Exception {
        dev.caravan.Eventually.eventually(() -> assertThat(
                        tables.number(
                                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
                .isEqualTo(1));
    }

    private LaneChange change(int lanes) {
        return new LaneChange(tables.dataSource(), "sms", lanes, anna());
    }

    private void insert(int count) throws SQLException {
        tables.execute("insert into outbox (aggregate_type, aggregate_id, type) select 'order', (n % 30)::text, 't'"
                + " from generate_series(1, " + count + ") n");
    }

    /** The visible messages in the gaps of the lane of their key; fails if another lane has one too. */
    private Set<Long> undone(int lanes) throws SQLException {
        assertThat(tables.number("select count(*) from outbox join outbox_subscription on gaps @> id"
                        + " where lane <> outbox_lane(aggregate_type, aggregate_id, " + lanes + ")"))
                .isZero();
        return idsOf("select id from outbox join outbox_subscription on gaps @> id");
    }

    private Set<Long> idsOf(String sql) throws SQLException {
        return Set.copyOf(tables.database.jdbc().queryForList(sql, Long.class));
    }

    private static Set<Long> ids(long first, long last) {
        Set<Long> ids = new HashSet<>();
        for (long id = first; id <= last; id++) {
            ids.add(id);
        }
        return ids;
    }
}
