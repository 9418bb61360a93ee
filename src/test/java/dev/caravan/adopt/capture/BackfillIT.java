package dev.caravan.adopt.capture;

import static dev.caravan.Eventually.eventually;
import static dev.caravan.adopt.capture.BackfillFixture.BOOKINGS;
import static dev.caravan.adopt.capture.BackfillFixture.complete;
import static dev.caravan.adopt.capture.BackfillFixture.finish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackfillIT {
    /** Settings that change how a session writes a value as text. */
    private static final String OTHER_SESSION = "set TimeZone = 'Asia/Kathmandu';"
            + " set IntervalStyle = 'sql_standard'; set bytea_output = 'escape'; set extra_float_digits = -5; ";

    @TempDir
    private Path folder;

    private TestOutbox database;
    private BackfillFixture shop;

    @BeforeEach
    void create() throws Exception {
        database = TestOutbox.create();
        shop = new BackfillFixture(database, folder);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void each_row_becomes_one_message_whatever_the_size_of_a_chunk() throws Exception {
        shop.insertRows(10);

        for (int chunk : List.of(1, 3, 10, 11)) {
            database.execute("truncate outbox; truncate outbox_backfill");
            complete(shop.backfill(), chunk);
            assertThat(shop.messages())
                    .as("chunks of " + chunk)
                    .isEqualTo(IntStream.rangeClosed(1, 10)
                            .mapToObj(i -> i + " snapshot old " + i)
                            .toList());
        }
    }

    @Test
    void rows_changed_since_the_boundary_have_only_the_messages_of_their_changes() throws Exception {
        shop.insertRows(6);
        try (Backfill backfill = shop.backfill()) {
            backfill.begin(false);
            backfill.next(2);
            database.execute("insert into shop.bookings values (7, 'new')");
            database.execute("update shop.bookings set v = 'changed' where id in (1, 3)");
            database.execute("delete from shop.bookings where id = 4; insert into shop.bookings values (4, 'back')");
            database.execute("update shop.bookings set id = 0 where id = 5"); // to an id that has been read
            finish(backfill, 2);
        }

        assertThat(shop.messages())
                .containsExactly(
                        "1 snapshot old 1",
                        "2 snapshot old 2",
                        "7 created new",
                        "1 changed changed",
                        "3 changed changed",
                        "4 deleted",
                        "4 created back",
                        "5 deleted",
                        "0 created old 5",
                        "6 snapshot old 6");
    }

    /** An update that changes nothing writes no message, but a new version of the row. A message before the boundary does not count. */
    @Test
    void rows_changed_without_a_message_are_sent_in_the_second_pass() throws Exception {
        shop.insertRows(5);
        database.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " values ('booking', '2', 'booking.changed', '{\"v\": \"before\"}')");
        try (Backfill backfill = shop.backfill()) {
            backfill.begin(false);
            database.execute("update shop.bookings set v = v where id in (2, 4, 5)");
            database.execute("update shop.bookings set v = 'changed' where id = 4");
            database.execute(
                    "set session_replication_role = replica; insert into shop.bookings values (6, 'replicated')");
            finish(backfill, 2);
        }

        assertThat(shop.messages())
                .containsExactly(
                        "2 changed before",
                        "4 changed changed",
                        "1 snapshot old 1",
                        "3 snapshot old 3",
                        "2 snapshot old 2",
                        "5 snapshot old 5",
                        "6 snapshot replicated");
    }

    /** A row has only half of its transaction id, which an old row may share with a new one. */
    @Test
    void rows_that_only_look_changed_are_sent_once() throws Exception {
        for (String boundary : List.of("3:3:", "9000000000:9000000000:")) {
            database.execute("truncate outbox, outbox_backfill; delete from shop.bookings");
            shop.insertRows(5);
            try (Backfill backfill = shop.backfill()) {
                backfill.begin(false);
                database.execute("truncate outbox; update outbox_backfill set boundary = '" + boundary + "'");
                finish(backfill, 2);
            }

            assertThat(shop.messages()).as(boundary).hasSize(5).doesNotHaveDuplicates();
        }
    }

    /** Of another table with the same aggregate, for example. */
    @Test
    void a_message_that_the_capture_has_not_written_does_not_replace_the_snapshot() throws Exception {
        shop.insertRows(2);
        try (Backfill backfill = shop.backfill()) {
            backfill.begin(false);
            database.execute(
                    "update shop.bookings set v = v where id = 2; insert into outbox (aggregate_type, aggregate_id,"
                            + " type, payload) values ('booking', '2', 'booking.paid', '{}'), ('booking', '2', 'booking.deleted', '{}')");
            finish(backfill, 10);
        }

        assertThat(shop.messages()).containsExactly("2 paid", "2 deleted", "1 snapshot old 1", "2 snapshot old 2");
    }

    @Test
    void a_message_of_another_row_whose_aggregate_id_is_equal_does_not_replace_the_snapshot() throws Exception {
        database.execute(
                "drop table shop.bookings; create table shop.bookings (a text, b text, v text, primary key (a, b));"
                        + " insert into shop.bookings values ('x/y', 'z', 'first'), ('x', 'y/z', 'second')");
        try (Backfill backfill = shop.backfill()) {
            backfill.begin(false);
            database.execute("update shop.bookings set v = v where a = 'x/y'");
            database.execute("update shop.bookings set v = 'changed' where a = 'x'");
            finish(backfill, 10);
        }

        assertThat(shop.messages()).contains("x/y/z snapshot first");
    }

    @Test
    void a_message_with_some_columns_does_not_replace_the_snapshot() throws Exception {
        shop.insertRows(2);
        try (Backfill backfill = shop.backfill("""
                table: shop.bookings
                aggregate-type: booking
                events:
                  - {on: update, of: v, type: booking.changed, payload: [v]}
                """)) {
            backfill.begin(false);
            database.execute("update shop.bookings set v = 'changed' where id = 2");
            finish(backfill, 10);
        }

        assertThat(shop.messages()).containsExactly("2 changed changed", "1 snapshot old 1", "2 snapshot changed");
    }

    @Test
    void a_subtransaction_that_was_open_at_the_boundary_and_writes_later_is_captured_only() throws Exception {
        shop.insertRows(1);
        database.execute("create table shop.other (x int)");
        try (Backfill backfill = shop.backfill();
                var writer = database.begin(
                        "insert into shop.other values (1); savepoint a; insert into shop.other values (2)")) {
            database.execute("insert into shop.other values (3)"); // a later transaction that has ended
            backfill.begin(false);
            writer.run(
                    "insert into shop.bookings values (2, 'new'); release a; insert into shop.bookings values (3, 'new')");
            writer.commit();
            finish(backfill, 10);
        }

        assertThat(shop.messages()).containsExactly("2 created new", "3 created new", "1 snapshot old 1");
    }

    @Test
    void a_row_that_a_writer_has_locked_is_sent_in_its_final_state_once() throws Exception {
        shop.insertRows(4);
        try (Backfill backfill = shop.backfill();
                var writer = database.begin()) {
            backfill.begin(false);
            writer.run("update shop.bookings set v = 'changed' where id = 3; delete from shop.bookings where id = 4");

            assertThat(backfill.next(4).waited()).isTrue();
            assertThat(backfill.next(4)).isEqualTo(new Backfill.Chunk(2, 2, false, false));
            assertThat(backfill.next(4).waited()).isTrue();
            writer.commit();
            finish(backfill, 4);
        }

        assertThat(shop.messages())
                .containsExactly("3 changed changed", "4 deleted", "1 snapshot old 1", "2 snapshot old 2");
    }

    @Test
    void a_row_that_a_writer_changes_during_the_second_pass_has_only_the_message_of_its_change() throws Exception {
        shop.insertRows(2);
        var process = Executors.newSingleThreadExecutor();
        try (Backfill backfill = shop.backfill();
                var writer = database.begin()) {
            backfill.begin(false);
            database.execute("update shop.bookings set v = v where id = 2");
            backfill.next(10);
            writer.run("update shop.bookings set v = 'changed' where id = 2");

            var finished = process.submit(() -> {
                finish(backfill, 10);
                return true;
            });
            eventually(() -> assertThat(database.number("select count(*) from pg_locks where not granted"))
                    .isEqualTo(1));
            writer.commit();
            assertThat(finished.get()).isTrue();
        } finally {
            process.shutdown();
        }

        assertThat(shop.messages()).containsExactly("1 snapshot old 1", "2 changed changed");
    }

    @Test
    void partitions_composite_keys_and_unusual_types_are_read_in_full() throws Exception {
        database.execute("create table shop.parts (region text collate \"C\", code char(5), at timestamptz, n numeric,"
                + " v text, primary key (region, at, code, n)) partition by list (region);"
                + " create table shop.parts_1 partition of shop.parts for values in ('a', 'B');"
                + " create table shop.parts_2 (n numeric not null, at timestamptz not null, v text, code char(5) not null,"
                + " region text collate \"C\" not null);"
                + " alter table shop.parts attach partition shop.parts_2 default");
        database.execute(
                "insert into shop.parts select r, c, t, n, concat_ws('/', r, c, n) from unnest(array['a', 'B', 'ä', 'it''s', '']) r,"
                        + " unnest(array['x', 'yy']) c, unnest(array['infinity', '2026-01-01 00:00:00.123456+02']::timestamptz[]) t,"
                        + " unnest(array[1.50, 'NaN']::numeric[]) n");
        database.execute(
                "create table shop.named (\"The Id\" uuid not null, aside int not null, v text, unique (\"The Id\"));"
                        + " insert into shop.named select gen_random_uuid(), 1, i::text from generate_series(1, 20) i");

        complete(
                shop.backfill("table: shop.parts\naggregate-type: booking\nevents: [{on: insert, type: booking.x}]"),
                3);
        assertThat(shop.messages()).hasSize(40).doesNotHaveDuplicates();
        database.execute("truncate outbox; truncate outbox_backfill; drop table shop.parts cascade;"
                + " drop function outbox_capture_bookings");
        complete(
                shop.backfill(
                        "table: shop.named\naggregate-type: booking\naggregate-id: aside\nbackfill: {when: new.v <> '7', type: \"{v}\","
                                + " payload: [v], headers: {v: v}}\nevents: [{on: insert, type: booking.x}]"),
                3);
        assertThat(database.number("select count(distinct type) from outbox where payload ->> 'v' = type"
                        + " and headers ->> 'v' = type and aggregate_id = '1'"))
                .isEqualTo(19);
    }

    @Test
    void a_complete_backfill_is_not_repeated_unless_a_person_requests_it() throws Exception {
        shop.insertRows(2);
        complete(shop.backfill(), 10);

        try (Backfill backfill = shop.backfill()) {
            assertThat(backfill.begin(false)).isEqualTo(Backfill.Start.COMPLETE);
            assertThat(backfill.next(10).finished()).isTrue();
        }
        assertThat(shop.messages()).hasSize(2);
        try (Backfill backfill = shop.backfill()) {
            assertThat(backfill.begin(true)).isEqualTo(Backfill.Start.NEW);
            finish(backfill, 10);
        }
        assertThat(shop.messages()).hasSize(4);
    }

    @Test
    void one_process_works_on_a_backfill_and_only_as_long_as_nothing_is_changed() throws Exception {
        shop.insertRows(4);
        try (Backfill backfill = shop.backfill()) {
            backfill.begin(false);
            backfill.next(2);
            assertRefused(
                    shop.backfill(),
                    "Another process is running the backfill of bookings: session ",
                    "user postgres",
                    "end it with pg_terminate_backend");
        }
        assertRefused(
                shop.backfill(BOOKINGS + "backfill: {type: booking.loaded}\n"),
                "the file or the key of the table was changed");
        assertRefused(
                shop.backfill(BOOKINGS.replace("created", "made")),
                "the capture was changed: its function differs from the file");

        database.execute(
                "alter table shop.bookings disable trigger user; update shop.bookings set v = 'missed' where id = 1;"
                        + " alter table shop.bookings enable trigger user");
        assertRefused(shop.backfill(), "the triggers were changed", "--again");
        assertThat(shop.messages()).hasSize(2);
        try (Backfill backfill = shop.backfill()) {
            assertThat(backfill.begin(true)).isEqualTo(Backfill.Start.NEW);
            finish(backfill, 2);
        }
        assertThat(shop.messages()).hasSize(6).contains("1 snapshot missed");
    }

    @Test
    void the_backfill_of_a_removed_capture_is_deleted() throws Exception {
        shop.insertRows(1);
        complete(shop.backfill(), 10);

        new Captures(database.dataSource()).remove("bookings");

        assertThat(database.number("select count(*) from outbox_backfill")).isZero();
    }

    @Test
    void what_makes_a_backfill_impossible_is_named_and_nothing_is_changed() throws Exception {
        String role = database.role("operator");
        database.execute("grant pg_read_all_data to " + role + "; grant create, usage on schema public to " + role
                + "; grant insert on outbox to " + role + "; grant usage on schema shop to " + role
                + "; grant trigger on shop.bookings to " + role);
        var asRole = database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES);
        Path file = shop.file(BOOKINGS);
        assertThatThrownBy(() -> BackfillFixture.backfill(asRole, file))
                .hasMessageContaining("may not read and lock the rows of shop.bookings")
                .hasMessageContaining("grant select, update on shop.bookings to " + role);
        database.execute("grant select, update on shop.bookings to " + role
                + "; alter table shop.bookings enable row level security");
        assertThatThrownBy(() -> BackfillFixture.backfill(asRole, file))
                .hasMessageContaining("row-level security hides rows");

        database.execute("create table shop.keyless (id bigint not null, v text unique)");
        assertThatThrownBy(() -> shop.backfill(BOOKINGS.replace("bookings", "keyless") + "aggregate-id: id\n"))
                .hasMessageContaining("has no primary key, and no unique index");
        assertThatThrownBy(() -> shop.backfill(BOOKINGS + "backfill: {payload: [id, w], when: old.id > 1}\n"))
                .hasMessageContaining("a backfill has no old row");
        assertThatThrownBy(() -> shop.backfill(BOOKINGS + "backfill: {payload: [id, w]}\n"))
                .hasMessageContaining("column w does not exist");
        assertThatThrownBy(() -> shop.backfill(BOOKINGS + "backfill: {typ: x}\n"))
                .hasMessageContaining("unknown field typ, did you mean type?");

        assertThat(database.number("select count(*) from pg_proc where proname like 'outbox\\_capture\\_%'"))
                .isZero();
        assertThat(database.number("select count(*) from outbox_backfill")).isZero();
    }

    @Test
    @Tag("long")
    void a_table_that_is_locked_is_not_waited_for() throws Exception {
        try (var writer = database.begin("insert into shop.bookings values (1, 'new')")) {

            assertRefused(
                    shop.backfill(), "another transaction held a lock on shop.bookings for 3 s. Nothing was changed.");
            writer.rollback();
        }

        assertThat(database.number("select count(*) from pg_proc where proname like 'outbox\\_capture\\_%'"))
                .isZero();
        assertThat(database.number("select count(*) from outbox_backfill")).isZero();
    }

    private static void assertRefused(Backfill refused, String... texts) throws SQLException {
        try (refused) {
            assertThatThrownBy(() -> refused.begin(false))
                    .isInstanceOf(CaptureRefusal.class)
                    .message()
                    .contains(texts)
                    .contains("Nothing was changed");
        }
    }

    @Test
    void triggers_in_all_sessions_and_a_backfill_write_the_same_key_for_a_row() throws Exception {
        database.execute(
                "create domain shop.moment as timestamptz; create table shop.prices (a timestamptz, b bytea, c float8, d interval,"
                        + " e date, f shop.moment, v text, primary key (a, b, c, d, e, f)); insert into shop.prices select t, 'a\\001'::bytea,"
                        + " 0.1234567890123456, '1 day 2 hours', '2026-03-04', t, 'old' from (values (timestamptz '2026-03-04 05:06Z')) x (t)");
        String file = "table: shop.prices\naggregate-type: price\nevents: [{on: insert, type: price.set},"
                + " {on: update, type: price.set}, {on: delete, type: price.set, payload: none}]";
        complete(shop.backfill(file), 10);

        database.execute("update shop.prices set v = 'here'");
        try (var connection = database.unpooled().getConnection();
                var session = connection.createStatement()) {
            session.execute(OTHER_SESSION + "update shop.prices set v = 'there'; delete from shop.prices");
        }

        assertThat(database.jdbc().queryForList("select distinct aggregate_id from outbox", String.class))
                .containsExactly(
                        "2026-03-04 05:06:00+00/\\x6101/0.1234567890123456/1 day 02:00:00/2026-03-04/2026-03-04 05:06:00+00");
        assertThat(database.number("select count(*) from outbox")).isEqualTo(4);
        assertThat(shop.backfill(file).messages()).isEqualTo(1);
        try (Backfill again = shop.backfill(file)) {
            assertThat(again.begin(false)).as("the capture is as in its file").isEqualTo(Backfill.Start.COMPLETE);
        }
    }
}
