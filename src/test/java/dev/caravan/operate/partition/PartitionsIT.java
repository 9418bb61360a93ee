package dev.caravan.operate.partition;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.WrittenLog;
import dev.caravan.base.clock.Clock;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.AwaitedLock;
import dev.caravan.database.Connections;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.JdbcTemplate;

class PartitionsIT {
    private static final String RANGES =
            "select string_agg(relname, ' ' order by relname) from pg_class join pg_inherits on inhrelid = pg_class.oid"
                    + " where inhparent = 'outbox'::regclass";
    private static final String DEFAULTED = "select count(*) from outbox_default";

    private final TestOutbox database = TestOutbox.create();

    private Partitions partitions(long size, int ahead) {
        return new Partitions(database.dataSource(), size, ahead, Clock.SYSTEM);
    }

    @Test
    void partitions_are_created_ahead_of_the_one_in_use_and_only_once() throws SQLException {
        Partitions partitions = partitions(1_000_000, 2);

        assertThat(partitions.makeAhead()).isEqualTo(2);
        assertThat(partitions.makeAhead()).isZero();

        assertThat(database.text(RANGES))
                .isEqualTo("outbox_default outbox_from_0 outbox_from_1000000 outbox_from_2000000");
    }

    @Test
    void a_partition_has_what_the_outbox_has() throws SQLException {
        partitions(1_000_000, 1).makeAhead();
        database.execute("select setval('outbox_id_seq', 1000000)");

        database.insert(5);

        assertThat(database.number("select count(*) from only outbox_from_1000000 where message_id is not null and"
                        + " created_at is not null and id > 1000000"))
                .isEqualTo(5);
        assertThat(database.number("select count(*) from pg_inherits where inhparent = 'outbox_pkey'::regclass"))
                .as("every partition's key is part of the key of the outbox")
                .isEqualTo(3);
        assertThat(database.number("select count(*) from pg_constraint where conrelid = 'outbox_from_1000000'::regclass"
                        + " and conname = 'outbox_headers_are_an_object'"))
                .isEqualTo(1);
    }

    @Test
    void a_changed_size_continues_after_the_highest_bound() throws SQLException {
        partitions(1_000_000, 1).makeAhead();

        partitions(5_000, 3).makeAhead();

        assertThat(database.text(RANGES))
                .isEqualTo("outbox_default outbox_from_0 outbox_from_1000000 outbox_from_2000000 outbox_from_2005000");
    }

    @Test
    void partitions_follow_the_sequence() throws SQLException {
        Partitions partitions = partitions(1_000, 2);
        partitions.makeAhead();

        database.execute("select setval('outbox_id_seq', 1001500)");

        assertThat(partitions.makeAhead()).isEqualTo(2);
        assertThat(database.number("select count(*) from pg_inherits where inhparent = 'outbox'::regclass"))
                .isEqualTo(6);
    }

    /** A role that may create in the schema takes its name, and a read would run its functions. */
    @Test
    void what_another_role_has_created_as_outbox_default_is_not_read() throws SQLException {
        TestOutbox database = TestOutbox.create();
        String evil = database.role("evil");
        database.execute(
                "drop table outbox_default; create table evidence (who text); grant insert on evidence to public;"
                        + " grant create on schema public to " + evil);
        new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES))
                .execute("create function go() returns bigint language plpgsql as"
                        + " 'begin insert into public.evidence values (current_user); return 1; end';"
                        + " create view outbox_default as select go() as id; grant select on outbox_default to public");

        assertThat(new Partitions(database.dataSource(), 1_000_000, 1, Clock.SYSTEM).makeAhead())
                .isEqualTo(1);

        assertThat(database.number("select count(*) from evidence")).isZero();
    }

    /** A role that may create in the schema has created things with the names of the next tables. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table %1$s (like outbox); create trigger go before insert on %1$s for each row execute function go()",
                "create view %1$s as select * from runs; create rule go as on insert to %1$s do instead insert into runs values (current_user)",
                "create type %1$s as (id bigint)",
            })
    void names_of_tables_that_another_role_has_taken_stop_no_partition_and_give_it_no_rights(String taken)
            throws SQLException {
        String evil = database.role("evil");
        database.execute("create table runs (who text); grant select, insert on runs to public; grant create on schema"
                + " public to " + evil + "; grant select on outbox to " + evil);
        var evils = new JdbcTemplate(database.unpooledAs(evil, TestOutbox.PASSWORD_OF_ROLES));
        evils.execute("create function go() returns trigger language plpgsql as 'begin insert into runs values"
                + " (current_user); return new; end'");
        for (String name : List.of(
                "outbox_from_1000000",
                "outbox_from_2000000",
                "outbox_moving",
                "outbox_default_next",
                "outbox_default_before_2002000")) {
            evils.execute(taken.formatted(name));
        }
        try (WrittenLog log = WrittenLog.of(FreeName.class)) {
            assertThat(partitions(1_000_000, 1).makeAhead()).isEqualTo(1);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(
                            " public.outbox_from_1000000 of role " + evil + " has the name",
                            "named outbox_from_1000000_",
                            "let no other role create in the schema");
        }
        database.execute("select setval('outbox_id_seq', 2000000)");
        database.insert(10);
        assertThat(database.number(DEFAULTED)).isEqualTo(10);

        assertThat(partitions(1_000, 2).makeAhead()).isEqualTo(3);

        assertThat(database.text(RANGES).replaceAll("_[0-9a-f]{8}\\b", "_RANDOM"))
                .isEqualTo("outbox_default outbox_from_0 outbox_from_1000000_RANDOM outbox_from_2000000_RANDOM"
                        + " outbox_from_2002000 outbox_from_2003000");
        assertThat(database.number(DEFAULTED)).isZero();
        assertThat(database.number("select count(*) from outbox")).isEqualTo(10);
        assertThat(database.number("select count(*) from pg_class where pg_get_userbyid(relowner) = 'postgres'"
                        + " and not relispartition and relname ~ '^outbox_(moving|default)'"))
                .isZero();
        assertThat(database.number("select count(*) from runs")).isZero();
    }

    @Test
    void messages_in_outbox_default_get_a_partition_of_their_own() throws SQLException {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        database.execute(
                "insert into outbox (id, aggregate_type, aggregate_id, type)"
                        + " overriding system value values (1002500, 'order', '1', 'order.created'), (-5, 'order', '1', 'order.created')");
        assertThat(database.number(DEFAULTED)).isEqualTo(12);
        String messages = "select md5(string_agg(outbox::text, ' ' order by id)) from outbox";
        String before = database.text(messages);

        assertThat(partitions(1_000, 2).makeAhead()).isEqualTo(3);

        assertThat(database.text(RANGES))
                .isEqualTo("outbox_default outbox_from_0 outbox_from_1000000 outbox_from_1002000 outbox_from_1003000");
        assertThat(database.text(messages)).isEqualTo(before);
        assertThat(database.number("select count(*) from only outbox_from_1000000"))
                .isEqualTo(10);
        assertThat(database.number("select count(*) from only outbox_from_1002000"))
                .as("what was put above by hand")
                .isEqualTo(1);
        assertThat(database.number(DEFAULTED)).as("what was put below by hand").isEqualTo(1);
        assertThat(leftovers()).isZero();
        database.insert(1);
        assertThat(database.number("select max(id) from only outbox_from_1000000 where id < 1002500"))
                .isEqualTo(1_000_011);
        assertThat(database.number("select count(*) from pg_constraint where conname = 'outbox_moving_range'"))
                .isZero();
    }

    /** With a partition up to such an id, no partition could be pruned for long, and the highest possible one has no upper end. */
    @Test
    void partitions_follow_the_sequence_past_a_message_whose_id_somebody_has_chosen() throws SQLException {
        database.execute(
                "insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                        + " values (5000000000, 'order', '1', 'order.created'), (9223372036854775807, 'order', '1', 'order.created')");

        assertThat(partitions(1_000, 2).makeAhead()).isEqualTo(2);
        database.execute("select setval('outbox_id_seq', 1003000)");
        database.insert(1);
        assertThat(partitions(1_000, 2).makeAhead()).isEqualTo(3);

        assertThat(database.text(RANGES))
                .isEqualTo("outbox_default outbox_from_0 outbox_from_1000000 outbox_from_1001000 outbox_from_1002000"
                        + " outbox_from_1005000 outbox_from_1006000");
        assertThat(database.number("select count(*) from only outbox_from_1002000"))
                .isEqualTo(1);
        assertThat(database.number(DEFAULTED)).isEqualTo(2);
        assertThat(leftovers()).isZero();
    }

    @Test
    void columns_that_the_user_added_move_too_with_what_they_hold() throws SQLException {
        database.execute("alter table outbox add column dropped integer; alter table outbox drop column dropped;"
                + " alter table outbox add column \"Tenant id\" text default 'first';"
                + " alter table outbox add column kind text not null generated always as (upper(type)) stored;"
                + identityIfPossible());
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        database.execute(
                "insert into outbox (id, aggregate_type, aggregate_id, type)"
                        + " overriding system value values (1000500, 'order', '1', 'order.created'), (-5, 'order', '1', 'order.created')");
        String messages = "select md5(string_agg(outbox::text, ' ' order by id)) from outbox";
        String before = database.text(messages);

        partitions(1_000, 2).makeAhead();

        assertThat(database.text(messages)).isEqualTo(before);
        assertThat(database.number("select count(*) from only outbox_from_1000000"))
                .isEqualTo(11);
        assertThat(database.number(DEFAULTED)).isEqualTo(1);
        database.insert(1);
        assertThat(database.number("select count(distinct kind) from outbox")).isEqualTo(1);
    }

    /** Postgres before 17 has no identity columns to add to a partitioned table. */
    private String identityIfPossible() throws SQLException {
        return database.number("select current_setting('server_version_num')::integer") >= 170_000
                ? " alter table outbox add column entry bigint generated always as identity"
                : "";
    }

    private long leftovers() throws SQLException {
        return database.number("select count(*) from pg_class where relkind = 'r' and not relispartition"
                + " and (relname like 'outbox_default%' or relname like 'outbox_moving%')");
    }

    @Test
    void a_range_that_ids_are_about_to_enter_gets_its_partition() throws SQLException {
        database.execute("select setval('outbox_id_seq', 999950)");

        partitions(1_000, 1).makeAhead();

        assertThat(database.text(RANGES)).isEqualTo("outbox_default outbox_from_0 outbox_from_1000000");
    }

    @Test
    void a_move_waits_for_an_open_transaction_and_misses_nothing_of_it() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        var mover = Executors.newSingleThreadExecutor();
        try (var writer = database.begin("insert into outbox (aggregate_type, aggregate_id, type)"
                + " values ('order', '1', 'order.created')")) {
            database.insert(5);

            var made = mover.submit(() -> partitions(1_000, 1).makeAhead());
            eventually(
                    () -> assertThat(database.number("select count(*) from pg_class where relname = 'outbox_moving'"))
                            .isEqualTo(1));
            writer.commit();

            assertThat(made.get(60, TimeUnit.SECONDS)).isEqualTo(2);
        } finally {
            mover.shutdownNow();
        }
        assertThat(database.number("select count(*) from only outbox_from_1000000"))
                .isEqualTo(6);
    }

    @Test
    void a_move_that_was_interrupted_changes_nothing_and_is_done_by_the_next_call() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        database.execute("create function die() returns event_trigger language plpgsql as"
                + " 'begin perform pg_terminate_backend(pg_backend_pid()); end'");
        database.execute(
                "create event trigger dies on ddl_command_end when tag in ('ALTER TABLE') execute function die()");

        assertThatThrownBy(() -> partitions(1_000, 1).makeAhead()).isInstanceOf(SQLException.class);
        database.execute("drop event trigger dies");
        assertThat(database.number(DEFAULTED)).isEqualTo(10);
        assertThat(database.number("select count(*) from outbox")).isEqualTo(10);

        assertThat(partitions(1_000, 1).makeAhead()).isEqualTo(2);
        assertThat(database.number("select count(*) from only outbox_from_1000000"))
                .isEqualTo(10);
        assertThat(leftovers()).isZero();
    }

    /** Every role that can connect can hold an advisory lock. */
    @Test
    void a_session_of_another_role_that_keeps_partitions_from_being_created_is_named() throws Exception {
        String mallory = database.role("mallory");
        AtomicLong minutes = new AtomicLong();
        Partitions partitions =
                new Partitions(database.dataSource(), 1_000_000, 2, () -> minutes.get() * 60_000_000_000L);
        try (var connection = database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                var statement = connection.createStatement();
                var held = statement.executeQuery(
                        "select pg_advisory_lock(hashtext('caravan partitions'), 'outbox'::regclass::oid::integer), pg_backend_pid()");
                WrittenLog log = WrittenLog.of(AwaitedLock.class)) {
            held.next();

            for (; minutes.get() < 20; minutes.incrementAndGet()) {
                assertThat(partitions.makeAhead()).isZero();
            }

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains(
                            "No partitions of the outbox are created",
                            "user " + mallory,
                            "caravan partitions",
                            "pg_terminate_backend(" + held.getInt(2) + ")");
        }
        eventually(() -> assertThat(partitions.makeAhead()).isEqualTo(2));
    }

    /** Each of them releases the lock before it is reported. */
    @Test
    void sessions_that_hold_the_lock_in_turn_are_named() throws Exception {
        String mallory = database.role("mallory");
        AtomicLong minutes = new AtomicLong();
        Partitions partitions =
                new Partitions(database.dataSource(), 1_000_000, 2, () -> minutes.get() * 60_000_000_000L);
        try (var one = database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                var other = database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                WrittenLog log = WrittenLog.of(AwaitedLock.class)) {
            List<Integer> sessions = new ArrayList<>();
            for (; minutes.get() < 20; minutes.incrementAndGet()) {
                boolean isFirst = minutes.get() % 2 == 0;
                sessions.add(hold(isFirst ? one : other));
                assertThat(partitions.makeAhead()).isZero();
                (isFirst ? one : other).rollback();
            }

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .contains("No partitions of the outbox are created", "user " + mallory)
                    .contains("pg_terminate_backend(" + sessions.get(0) + ")")
                    .contains("pg_terminate_backend(" + sessions.get(1) + ")");
        }
        assertThat(partitions.makeAhead()).isEqualTo(2);
    }

    /** @return the process id of the session */
    private static int hold(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        Sql.execute(
                connection,
                "select pg_advisory_xact_lock(hashtext('caravan partitions'), 'outbox'::regclass::oid::integer)");
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    /** Messages are delivered as before, so nobody else would say it. */
    @ParameterizedTest
    @ValueSource(
            strings = {"create type outbox_from_1000000 as (id bigint)", "prepare held as select from outbox_default"})
    void an_open_transaction_that_keeps_partitions_from_being_created_is_reported_after_five_minutes(String held)
            throws Exception {
        String mallory = database.role("mallory");
        database.execute("grant create on schema public to " + mallory);
        AtomicLong minutes = new AtomicLong();
        Partitions partitions =
                new Partitions(database.dataSource(), 1_000_000, 1, () -> minutes.get() * 60_000_000_000L);
        try (var connection = database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                WrittenLog problems = WrittenLog.of(LastingProblem.class)) {
            connection.setAutoCommit(false);
            connection.createStatement().execute(held);

            for (; minutes.get() < 5; minutes.incrementAndGet()) {
                assertThat(partitions.makeAhead()).isZero();
            }
            assertThat(problems.lines()).isEmpty();
            for (; minutes.get() < 8; minutes.incrementAndGet()) {
                assertThat(partitions.makeAhead()).isZero();
            }

            assertThat(problems.lines())
                    .singleElement()
                    .asString()
                    .contains("No partitions of the outbox are created for 5 minutes", "lock timeout");
            connection.rollback();
        }
        assertThat(partitions.makeAhead()).isEqualTo(1);
    }

    @Test
    void a_move_does_not_wait_for_an_open_transaction_that_holds_the_name_of_its_table() throws Exception {
        String mallory = database.role("mallory");
        database.execute("grant create on schema public to " + mallory + "; select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        AtomicLong minutes = new AtomicLong();
        Partitions partitions = new Partitions(database.dataSource(), 1_000, 1, () -> minutes.get() * 60_000_000_000L);
        var mover = Executors.newSingleThreadExecutor();
        try (var connection =
                database.unpooledAs(mallory, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("create type outbox_moving as (id bigint)");

            assertThat(mover.submit(partitions::makeAhead).get(20, TimeUnit.SECONDS))
                    .isZero();
        } finally {
            mover.shutdownNow();
        }
        minutes.set(5);
        assertThat(partitions.makeAhead()).isEqualTo(2);
    }

    /** Each attempt copies all messages again, and locks the outbox. */
    @Test
    void a_move_that_fails_is_tried_again_after_pauses_that_grow() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        database.execute("create sequence attempts; create function refuse() returns event_trigger language plpgsql as"
                + " $$ begin perform nextval('attempts'); raise exception 'refused'; end $$");
        database.execute(
                "create event trigger refuses on ddl_command_end when tag in ('ALTER TABLE') execute function refuse()");
        AtomicLong minutes = new AtomicLong();
        Partitions partitions = new Partitions(database.dataSource(), 1_000, 1, () -> minutes.get() * 60_000_000_000L);

        partitions.makeAhead();
        for (int minute = 0; minute < 60; minute++) {
            minutes.incrementAndGet();
            partitions.makeAhead();
        }

        assertThat(database.number("select last_value from attempts"))
                .as("after 0, 5, 15 and 35 minutes")
                .isEqualTo(4);
        assertThat(database.number("select count(*) from outbox")).isEqualTo(10);
    }

    @Test
    void messages_get_a_partition_of_their_own_whatever_the_settings_of_the_role() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        for (String setting : List.of(
                "standard_conforming_strings = off",
                "transform_null_equals = on",
                "default_transaction_isolation = serializable")) {
            database.execute("alter database " + database.database() + " set " + setting);
        }

        try (var housekeeping = Connections.of(database.settings(Map.of())).housekeepingPool()) {
            assertThat(new Partitions(housekeeping, 1_000, 1, Clock.SYSTEM).makeAhead())
                    .isEqualTo(2);
        }

        assertThat(database.number("select count(*) from only outbox_from_1000000"))
                .isEqualTo(10);
    }

    @Test
    void a_move_ends_when_its_relay_stops() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(10);
        Thread.currentThread().interrupt();

        int made = partitions(1_000, 1).makeAhead();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(made).isZero();
        assertThat(database.number(DEFAULTED)).isEqualTo(10);
    }

    @Test
    void a_moved_table_with_a_message_that_the_outbox_lacks_is_not_dropped() throws Exception {
        database.execute(
                "create table outbox_default_before_9 (like outbox including defaults); comment on table outbox_default_before_9 is"
                        + " 'Moved: its messages have a partition of their own, to be dropped by the next round of pruning.'");
        database.execute(
                "insert into outbox_default_before_9 select 7, gen_random_uuid(), 'order', '1', 'order.created'");
        Pruning pruning = new Pruning(database.dataSource(), 1);

        assertThat(pruning.run(Retention.UNLIMITED, partition -> true, name -> {})
                        .postponed()
                        .orElseThrow())
                .contains("outbox_default_before_9 contains messages that are not in the outbox");
        assertThat(leftovers()).isEqualTo(1);

        database.execute("delete from outbox_default_before_9");
        pruning.run(Retention.UNLIMITED, partition -> true, name -> {});
        assertThat(leftovers()).isZero();
    }

    @Test
    @Tag("long")
    void no_insert_into_outbox_default_waits_for_long_while_its_messages_are_moved() throws Exception {
        database.execute("select setval('outbox_id_seq', 1000000)");
        database.insert(30_000);
        whileInserting(() -> assertThat(partitions(100_000, 1).makeAhead()).isEqualTo(2));
        assertThat(database.number(DEFAULTED)).isZero();
        assertThat(database.number("select count(*) from outbox"))
                .isEqualTo(database.number("select last_value from outbox_id_seq") - 1_000_000);
    }

    @Test
    @Tag("long")
    void no_insert_fails_or_waits_for_long_while_partitions_are_attached() throws Exception {
        database.execute("select setval('outbox_id_seq', 999000)");
        Partitions partitions = partitions(10_000, 2);
        whileInserting(() -> {
            for (long made = 0; made < 5; ) {
                made += partitions.makeAhead();
            }
        });
        assertThat(database.number("select count(*) from outbox"))
                .isEqualTo(database.number("select last_value from outbox_id_seq") - 999_000);
    }

    private void whileInserting(ThrowingCallable change) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        var writers = Executors.newFixedThreadPool(3);
        try {
            List<Future<Long>> slowest = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                slowest.add(writers.submit(() -> slowestInsert(stop)));
            }
            assertThatCode(change).doesNotThrowAnyException();
            stop.set(true);
            for (Future<Long> millis : slowest) {
                assertThat(millis.get(60, TimeUnit.SECONDS)).isLessThan(15_000);
            }
        } finally {
            stop.set(true);
            writers.shutdownNow();
        }
    }

    private long slowestInsert(AtomicBoolean stop) throws SQLException {
        long slowest = 0;
        try (var connection = database.unpooled().getConnection();
                var insert = connection.prepareStatement("insert into outbox (aggregate_type, aggregate_id, type)"
                        + " values ('order', '1', 'order.created')")) {
            while (!stop.get()) {
                long started = System.nanoTime();
                insert.executeUpdate();
                slowest = Math.max(slowest, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
            }
        }
        return slowest;
    }

    @Test
    void two_relays_at_once_create_each_partition_once() throws Exception {
        var relays = Executors.newFixedThreadPool(2);
        try {
            Callable<Integer> relay = () -> {
                Partitions partitions = partitions(1_000, 20);
                int made = 0;
                for (int call = 0; call < 20; call++) {
                    made += partitions.makeAhead();
                }
                return made;
            };
            int made = 0;
            for (var result : relays.invokeAll(List.of(relay, relay), 60, TimeUnit.SECONDS)) {
                made += result.get();
            }
            assertThat(made).isEqualTo(20);
        } finally {
            relays.shutdownNow();
        }
    }

    @Test
    void a_busy_default_partition_is_not_waited_for_and_done_on_the_next_call() throws SQLException {
        Partitions partitions = partitions(1_000_000, 1);
        try (var reader = database.begin("select count(*) from outbox_default")) {

            assertThat(partitions.makeAhead()).isZero();
        }
        assertThat(partitions.makeAhead()).isEqualTo(1);
    }

    @Test
    void a_role_that_is_not_the_owner_continues_without_partitions() throws SQLException {
        String role = database.database() + "_reader";
        database.execute("create role " + role + " login password 'x'; grant select on outbox to " + role);

        assertThat(new Partitions(database.unpooledAs(role, "x"), 1_000_000, 2, Clock.SYSTEM).makeAhead())
                .isZero();

        assertThat(database.text(RANGES)).isEqualTo("outbox_default outbox_from_0");
    }
}
