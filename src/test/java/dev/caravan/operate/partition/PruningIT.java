package dev.caravan.operate.partition;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Transaction;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.operate.audit.Actor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Ids 1 to 1000 are in outbox_a, a month old and delivered; ids from 1001 on are in outbox_b, where new ids are drawn. */
class PruningIT {
    private static final Retention WEEK = Retention.of(Duration.ofDays(7));
    private static final String PARTITIONS =
            "select string_agg(relname, ' ' order by relname) from pg_class join pg_inherits on inhrelid = pg_class.oid"
                    + " where inhparent = 'outbox'::regclass";
    private static final String TABLES = "select string_agg(relname, ' ' order by relname) from pg_class"
            + " where relkind = 'r' and relname in ('outbox_a', 'outbox_b')";

    private final TestOutbox database = TestOutbox.create();

    @BeforeEach
    void outboxWithAnOldPartition() throws SQLException {
        database.execute("drop table outbox_from_0");
        database.execute("create table outbox_a partition of outbox for values from (0) to (1001)");
        database.execute("create table outbox_b partition of outbox for values from (1001) to (1000000)");
        insertAged(1500, "30 days");
        subscribe("orders", 1500);
    }

    private void insertAged(int messages, String age) throws SQLException {
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, created_at)"
                + " select 'order', n::text, 'order.created', now() - interval '" + age + "' from generate_series(1, "
                + messages + ") n");
    }

    /** Returns true, so that it can confirm a partition. */
    private boolean subscribe(String name, long position) {
        database.execute("insert into outbox_subscription (name, position) values ('" + name + "', " + position + ")");
        return true;
    }

    private Pruning.Round prune() throws SQLException, InterruptedException {
        return prune(WEEK);
    }

    private Pruning.Round prune(Retention retention) throws SQLException, InterruptedException {
        return new Pruning(database.dataSource(), 3).run(retention, partition -> true, name -> {});
    }

    private Partition partition(String name) throws SQLException {
        return new PartitionReader()
                .all(database.dataSource(), WEEK).stream()
                        .filter(partition -> partition.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    private void assertKept() throws SQLException, InterruptedException {
        assertThat(prune().pruned()).isEmpty();
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_a outbox_b outbox_default");
    }

    @Test
    void what_is_old_and_delivered_everywhere_is_pruned() throws Exception {
        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.PRUNABLE);

        assertThat(prune().pruned()).containsExactly("outbox_a");

        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_b outbox_default");
        assertThat(database.text(TABLES)).isEqualTo("outbox_b");
        assertThat(database.number("select min(id) from outbox")).isEqualTo(1001);
        database.insert(1);
        assertThat(database.number("select max(id) from outbox")).isEqualTo(1501);
        assertThat(new SchemaCheck(database.dataSource()).problems()).isEmpty();
    }

    /** Whoever owns a partition chooses its name, which is part of the statement that detaches it. */
    @Test
    void the_name_of_a_partition_runs_no_statement() throws Exception {
        database.execute("alter table outbox_a rename to \"outbox_a$prune$; drop table outbox_b; --\"");

        assertThat(prune().pruned()).containsExactly("outbox_a$prune$; drop table outbox_b; --");

        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_b outbox_default");
    }

    @Test
    void the_partition_in_use_is_kept_however_old() throws Exception {
        prune();

        assertThat(prune().pruned()).isEmpty();
        assertThat(partition("outbox_b").state()).isEqualTo(Partition.State.CURRENT);
    }

    @Test
    void a_partition_whose_last_id_is_the_last_one_drawn_is_still_in_use() throws Exception {
        database.execute("delete from outbox where id > 1000; select setval('outbox_id_seq', 1000);"
                + " update outbox_subscription set position = 1000");

        assertKept();
    }

    @Test
    void a_young_message_at_the_end_keeps_its_partition() throws Exception {
        database.execute("update outbox set created_at = now() - interval '6 days' where id = 1000");

        assertKept();
        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.RETAINED);
    }

    @Test
    void a_message_from_the_future_at_the_end_does_not_keep_its_partition() throws Exception {
        for (String time : List.of("infinity", "294276-12-31", "-infinity")) {
            database.execute("update outbox set created_at = '" + time + "' where id = 1000");
            assertThat(partition("outbox_a").state()).as(time).isEqualTo(Partition.State.PRUNABLE);
        }
        database.execute("update outbox set created_at = 'infinity' where id in (1000, 1500)");

        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    /** A role that may write the column could remove what others want to replay. */
    @Test
    void ids_that_were_drawn_within_the_retention_keep_their_partition_whatever_the_time_of_its_messages()
            throws Exception {
        database.execute("insert into outbox_history (at, subscription, delivered, lag_seconds, backlog, last_id)"
                + " values (now() - interval '8 days', 'orders', 0, 0, 0, 100), (now() - interval '6 days', 'orders', 0, 0, 0, 999),"
                + " (now() - interval '1 hour', 'orders', 0, 0, 0, 1500)");
        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.RETAINED);
        assertKept();

        database.execute("update outbox_history set last_id = 1000 where last_id = 999");

        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.PRUNABLE);
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @Test
    void a_role_that_may_not_read_the_history_lists_partitions_by_the_time_of_their_messages() throws Exception {
        String reader = database.role("reader");
        database.execute("grant select on outbox, outbox_subscription, outbox_intake to " + reader
                + "; grant select on sequence outbox_id_seq to " + reader);

        assertThat(new PartitionReader().states(database.unpooledAs(reader, TestOutbox.PASSWORD_OF_ROLES), WEEK))
                .extracting(Partition::state)
                .contains(Partition.State.PRUNABLE);
    }

    @Test
    void what_was_written_after_a_message_from_the_future_determines_the_age() throws Exception {
        database.execute("update outbox set created_at = 'infinity' where id = 1000;"
                + " update outbox set created_at = now() - interval '6 days' where id = 1001");
        assertKept();

        database.execute("update outbox set created_at = 'infinity' where id = 1001");
        assertKept();

        database.execute("delete from outbox where id > 1000");
        assertKept();
    }

    @Test
    void a_message_that_is_committed_late_keeps_a_partition_that_was_looked_at_before() throws Exception {
        database.execute("delete from outbox where id = 1000; update outbox_subscription set gaps = '{[1000,1001)}'");
        Pruning pruning = new Pruning(database.dataSource(), 3);
        assertThat(pruning.run(WEEK, partition -> true, name -> {}).pruned()).isEmpty();

        database.execute("insert into outbox (id, aggregate_type, aggregate_id, type)"
                + " overriding system value values (1000, 'order', '1', 'order.created');"
                + " update outbox_subscription set gaps = '{}'");

        assertThat(pruning.run(WEEK, partition -> true, name -> {}).pruned()).isEmpty();
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_a outbox_b outbox_default");
    }

    @Test
    void everything_is_kept_when_the_retention_is_off() throws Exception {
        assertThat(prune(Retention.UNLIMITED).pruned()).isEmpty();
        assertThat(new PartitionReader().all(database.dataSource(), Retention.UNLIMITED))
                .extracting(Partition::state)
                .doesNotContain(Partition.State.PRUNABLE, Partition.State.HELD_BACK);
    }

    @Test
    void a_partition_without_messages_is_pruned_when_everybody_has_passed_it() throws Exception {
        database.execute("delete from outbox where id <= 1000");

        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @Test
    void one_subscription_that_lacks_the_last_id_holds_back() throws Exception {
        subscribe("email", 999);

        assertKept();
        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.HELD_BACK);
        assertThat(partition("outbox_a").holders()).containsExactly(new Holder("email", Holder.Reason.BEHIND));

        database.execute("update outbox_subscription set position = 1000 where name = 'email'");
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gaps", "older_gaps"})
    void a_gap_inside_holds_back_and_one_beyond_does_not(String column) throws Exception {
        subscribe("email", 1500);
        database.execute("update outbox_subscription set " + column + " = '{[1000,1001)}' where name = 'email'");
        assertKept();
        assertThat(partition("outbox_a").holders()).containsExactly(new Holder("email", Holder.Reason.GAP));

        database.execute("update outbox_subscription set " + column + " = '{[1001,1003)}' where name = 'email'");
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    /** The plan to prune it was made before the gap came. */
    @ParameterizedTest
    @ValueSource(strings = {"gaps", "older_gaps"})
    void a_gap_that_came_meanwhile_is_found_under_the_locks(String column) throws Exception {
        database.execute("update outbox_subscription set " + column + " = '{[1000,1001)}'");
        long oid = database.number("select 'outbox_a'::regclass::oid");

        assertThatThrownBy(() -> detach(oid)).hasMessageContaining("a subscription needs the ids 0 to 1001");

        database.execute("update outbox_subscription set " + column + " = '{[1001,1003)}'");
        detach(oid);
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_b outbox_default");
    }

    @Test
    void a_subscription_that_is_added_during_a_round_is_the_reason_why_it_is_incomplete() throws Exception {
        Pruning.Round round =
                new Pruning(database.dataSource(), 3).run(WEEK, partition -> subscribe("sms", 0), name -> {});

        assertThat(round.pruned()).isEmpty();
        assertThat(round.postponed()).contains("a subscription that was added or set back meanwhile needs outbox_a");
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_a outbox_b outbox_default");
    }

    @Test
    @Tag("long")
    void a_prune_that_fails_reports_its_failure_also_if_the_audit_cannot_be_completed() throws Exception {
        Prune prune = new Prune(database.dataSource(), WEEK, List.of(partition("outbox_a")));

        assertThatThrownBy(() -> prune.run(new Actor("anna", Optional.empty()), () -> true, name -> {
                    database.execute("drop table outbox_audit");
                    throw new IllegalStateException("first");
                }))
                .hasMessage("first")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
    }

    private void detach(long oid) throws SQLException {
        String statement = Transaction.run(database.dataSource(), connection -> Sql.file("operate/detach_partition")
                .with("oid", oid)
                .with("lower", 0L)
                .with("upper", 1001L)
                .with("renamed", "outbox_default_to_1000")
                .first(connection, row -> row.getString(1))
                .orElseThrow());
        database.execute(statement);
    }

    @Test
    void a_position_ahead_of_the_sequence_says_nothing_about_the_messages_below_it() throws Exception {
        Partition old = partition("outbox_a");
        subscribe("mails", 5000); // the table was truncated with restart identity, and no relay has noticed

        assertKept();
        assertThatThrownBy(() -> detach(old.oid())).hasMessageContaining("a subscription needs the ids");

        database.execute(
                "update outbox_subscription set halted_at = now(), halted_reason = 'ahead' where name = 'mails'");
        database.execute("select setval('outbox_id_seq', 6000)"); // it has passed the position since
        assertKept();
        assertThatThrownBy(() -> detach(old.oid())).hasMessageContaining("a subscription needs the ids");
        assertThat(partition("outbox_a").holders()).containsExactly(new Holder("mails", Holder.Reason.HALTED));
    }

    @Test
    void a_paused_subscription_and_one_without_a_relay_are_named_as_such() throws Exception {
        subscribe("email", 10);
        subscribe("sms", 10);
        database.execute("update outbox_subscription set paused = true where name = 'email'");
        database.execute("update outbox_subscription set saved_at = now() - interval '2 minutes' where name = 'sms'");

        assertKept();
        assertThat(partition("outbox_a").holders())
                .containsExactly(new Holder("email", Holder.Reason.PAUSED), new Holder("sms", Holder.Reason.NO_RELAY));
    }

    @Test
    void without_any_subscription_nothing_is_pruned() throws Exception {
        database.execute("delete from outbox_subscription");

        assertKept();
        assertThat(partition("outbox_a").state()).isEqualTo(Partition.State.HELD_BACK);
    }

    @Test
    void retries_and_dead_letters_hold_nothing_back() throws Exception {
        database.execute("insert into outbox_retry (subscription, id, message_id, aggregate_type, aggregate_id, type,"
                + " created_at, blocked, next_attempt_at) select 'orders', id, message_id, aggregate_type, aggregate_id,"
                + " type, created_at, false, now() from outbox where id = 7");

        assertThat(prune().pruned()).containsExactly("outbox_a");
        assertThat(database.number("select count(*) from outbox_retry")).isEqualTo(1);
    }

    @Test
    void a_subscription_that_is_created_at_the_last_moment_is_seen() throws Exception {
        var prune = Executors.newSingleThreadExecutor();
        try (var creator = database.begin("insert into outbox_subscription (name, position) values ('new', 0)")) {
            var round =
                    prune.submit(() -> new Pruning(database.dataSource(), 30).run(WEEK, partition -> true, name -> {}));
            eventually(() -> assertThat(database.number("select count(*) from pg_locks where locktype = 'advisory'"
                            + " and database = (select oid from pg_database where datname = current_database())"))
                    .isEqualTo(1));
            creator.commit();

            assertThat(round.get(30, TimeUnit.SECONDS).pruned()).isEmpty();
        } finally {
            prune.shutdownNow();
        }
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_a outbox_b outbox_default");
    }

    @Test
    void an_open_transaction_with_a_message_in_the_partition_is_waited_for() throws Exception {
        database.execute("delete from outbox where id = 500");
        try (var writer = database.begin("insert into outbox (id, aggregate_type, aggregate_id, type)"
                + " overriding system value values (500, 'order', '1', 'order.created')")) {

            Pruning.Round round = prune();

            assertThat(round.pruned()).isEmpty();
            assertThat(round.postponed().orElseThrow()).contains("long transactions hold locks on the outbox (pid");
            writer.rollback();
        }
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    /** The connection of a round breaks in the middle of a statement, as with a process that dies. */
    private void dieDuring(String event, String statement) throws SQLException {
        database.execute("create function die() returns event_trigger language plpgsql as"
                + " 'begin perform pg_terminate_backend(pg_backend_pid()); end'");
        database.execute(
                "create event trigger dies on " + event + " when tag in ('" + statement + "') execute function die()");
        assertThatThrownBy(this::prune).isInstanceOf(SQLException.class);
        database.execute("drop event trigger dies");
    }

    @Test
    void a_detach_that_is_interrupted_leaves_the_partition_where_it_is() throws Exception {
        dieDuring("ddl_command_end", "ALTER TABLE");
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_a outbox_b outbox_default");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(1500);

        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @Test
    void a_drop_that_a_killed_process_left_undone_is_done_by_the_next_round() throws Exception {
        dieDuring("ddl_command_start", "DROP TABLE");
        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_b outbox_default");
        assertThat(database.text(TABLES)).isEqualTo("outbox_a outbox_b");

        assertThat(prune().pruned()).containsExactly("outbox_a");
        assertThat(database.text(TABLES)).isEqualTo("outbox_b");
    }

    /** For example because of an event trigger that gives new tables to a role. Its table would be detached, and never dropped. */
    @Test
    void a_partition_of_another_owner_is_dropped_too() throws Exception {
        database.execute("alter table outbox_a owner to " + database.role("shared"));

        assertThat(prune().pruned()).containsExactly("outbox_a");
        assertThat(database.text(TABLES)).isEqualTo("outbox_b");
    }

    @Test
    void a_table_that_a_person_detached_stays() throws Exception {
        database.execute("alter table outbox detach partition outbox_a");

        assertThat(prune().pruned()).isEmpty();
        assertThat(database.number("select count(*) from outbox_a")).isEqualTo(1000);
    }

    /** A role needs no right on a table to create a view on it, and by default each role that can connect may create temporary ones. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create temp view held as select * from public.outbox_a",
                "create temp table held (message public.outbox_a)"
            })
    void what_depends_on_one_partition_stops_the_pruning_of_no_other(String create) throws Exception {
        String mallory = database.role("mallory");
        try (Connection session =
                database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            session.createStatement().execute(create);

            assertThat(prune().postponed().orElseThrow())
                    .contains("outbox_a is detached", "held depends on t", "outbox_a");
            database.execute(
                    "select setval('outbox_id_seq', 1000000); update outbox_subscription set position = 1000000");
            assertThat(prune().pruned()).containsExactly("outbox_b");
            session.createStatement().execute("discard all");
        }
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @Test
    @Tag("long")
    void a_detached_table_that_somebody_reads_is_dropped_later() throws Exception {
        dieDuring("ddl_command_start", "DROP TABLE");
        try (var reader = database.begin("select count(*) from outbox_a")) {

            assertThat(prune().postponed().orElseThrow()).contains("outbox_a").contains("still reads it");
        }
        assertThat(prune().pruned()).containsExactly("outbox_a");
    }

    @Test
    void of_two_at_once_one_prunes() throws Exception {
        try (Connection other = database.unpooled().getConnection()) {
            other.createStatement().execute(SqlFile.file("operate/lock_changes"));

            assertThat(prune().postponed()).hasValueSatisfying(reason -> assertThat(reason)
                    .startsWith("another process is pruning: session "));
            // the session ends some time after its connection is closed
            other.createStatement().execute("select pg_advisory_unlock_all()");
        }
        assertThat(database.text(TABLES)).isEqualTo("outbox_a outbox_b");
        var pruners = Executors.newFixedThreadPool(2);
        try {
            List<String> pruned = new ArrayList<>();
            for (var round : pruners.invokeAll(List.of(this::prune, this::prune), 60, TimeUnit.SECONDS)) {
                pruned.addAll(((Pruning.Round) round.get()).pruned());
            }
            assertThat(pruned).containsExactly("outbox_a");
        } finally {
            pruners.shutdownNow();
        }
    }

    @Test
    void nothing_of_a_round_stays_behind_in_its_session() throws Exception {
        try (Connection only = database.unpooled().getConnection()) {
            String before = limits(only);
            new Pruning(new SingleConnectionDataSource(only, true), 3).run(WEEK, partition -> true, name -> {});

            assertThat(limits(only)).isEqualTo(before);
            assertThat(only.getAutoCommit()).isTrue();
        }
        assertThat(database.number("select count(*) from pg_locks where locktype = 'advisory'"
                        + " and database = (select oid from pg_database where datname = current_database())"))
                .isZero();
    }

    private static String limits(Connection connection) throws SQLException {
        return Sql.rows(
                        connection,
                        "select current_setting('lock_timeout') || current_setting('statement_timeout')"
                                + " || current_setting('synchronous_commit')",
                        row -> row.getString(1))
                .get(0);
    }

    @Test
    void a_role_that_may_not_drop_is_refused_and_nothing_changes() throws Exception {
        String role = database.database() + "_reader";
        database.execute("create role " + role + " login password 'x'; grant select on outbox, outbox_subscription,"
                + " outbox_id_seq to " + role);

        assertThatThrownBy(
                        () -> new Pruning(database.unpooledAs(role, "x"), 3).run(WEEK, partition -> true, name -> {}))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        assertKeptBy(role);
    }

    private void assertKeptBy(String role) throws SQLException {
        assertThat(new PartitionReader().all(database.unpooledAs(role, "x"), WEEK))
                .extracting(Partition::name)
                .containsExactly("outbox_a", "outbox_b", "outbox_default");
    }

    @ParameterizedTest
    @CsvSource({
        "select 1, outbox_default_to_500",
        "create type outbox_default_to_500 as (id bigint), outbox_default_to_500_[0-9a-f]{8}"
    })
    void the_default_partition_is_replaced_by_an_empty_one_when_all_it_holds_is_old_and_delivered(
            String before, String name) throws Exception {
        database.execute(before);
        database.execute("drop table outbox_a");
        database.execute("insert into outbox (id, aggregate_type, aggregate_id, type, created_at)"
                + " overriding system value values (500, 'order', '1', 'order.created', now() - interval '30 days')");
        assertThat(partition("outbox_default").ids()).contains(new Partition.Ids(500, 501));
        subscribe("email", 499);
        assertThat(prune().pruned()).isEmpty();
        database.execute("delete from outbox_subscription where name = 'email'");

        assertThat(prune().pruned()).singleElement().asString().matches(name);

        assertThat(database.text(PARTITIONS)).isEqualTo("outbox_b outbox_default");
        assertThat(database.number("select count(*) from outbox_default")).isZero();
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(3);
        assertThat(database.number("select count(*) from outbox_default where message_id is not null"))
                .isEqualTo(3);
    }

    @Test
    void the_default_partition_is_kept_while_ids_fall_into_it() throws Exception {
        database.execute("drop table outbox_a; drop table outbox_b");
        insertAged(10, "30 days");
        database.execute("update outbox_subscription set position = 1510");

        assertThat(partition("outbox_default").state()).isEqualTo(Partition.State.CURRENT);
        assertThat(prune().pruned()).isEmpty();
    }
}
