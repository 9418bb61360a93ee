package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Installation, comparison and removal of captures. */
class CaptureCommandIT extends CaptureFixture {
    @Test
    void what_is_installed_is_compared_with_the_file_and_applied_again_only_if_it_differs() throws Exception {
        Path file = write("bookings", ALL_EVENTS);
        run("check", file.toString()).assertEnded(1, file + ":1: is not installed. Run: ./caravan capture apply");
        assertThat(run("apply", file.toString()).out()).contains("Installed capture bookings of shop.bookings.");
        assertThat(run("apply", file.toString()).out()).contains("Capture bookings is up to date.");
        assertThat(run("list").out()).contains("bookings", "shop.bookings", "enabled");

        database.execute("alter table shop.bookings disable trigger _outbox_capture_bookings_01");
        assertThat(run("check", file.toString()).out()).contains("is disabled: changes are not captured");
        assertThat(run("list").out()).contains("disabled");
        database.execute("drop trigger _outbox_capture_bookings_02 on shop.bookings");
        write(
                "bookings",
                ALL_EVENTS.replace("booking.grew", "booking.larger").replace("> 10", "> 11") + "always: true\n");
        assertThat(run("check", file.toString()).out())
                .contains(
                        "_outbox_capture_bookings_02 is missing",
                        "_outbox_capture_bookings_03 differs from the file",
                        "its function differs from the file",
                        "differs in always");

        run("apply", file.toString()).assertDone();
        assertThat(run("check", file.toString()).out()).contains("No problems found.");
        assertThat(database.number("select count(*) from pg_trigger where tgenabled = 'A'"))
                .isEqualTo(7);

        database.execute("alter table shop.bookings rename status to state");
        run("check", file.toString())
                .assertEnded(1, file + ":9: column status does not exist in shop.bookings, did you mean state?");

        assertThat(run("remove", "bookings", "--yes").out()).contains("Removed capture bookings of shop.bookings");
        assertThat(database.number("select count(*) from pg_trigger where tgname like '%outbox_capture%'"))
                .isZero();
        assertThat(run("remove", "bookings", "--yes").err()).contains("There is no capture bookings");
    }

    @Test
    @Tag("long")
    void a_capture_is_removed_by_the_name_of_its_file() throws Exception {
        applied("shop-bookings", ALL_EVENTS);

        assertThat(run("remove", "shop-bookings", "--yes").out()).contains("Removed capture shop_bookings");
    }

    @Test
    void the_printed_script_installs_the_same() throws Exception {
        Path file = write("bookings", ALL_EVENTS);

        database.execute(run("print", file.toString()).out());

        assertThat(run("check", file.toString()).out()).contains("No problems found.");
    }

    /** The session of a writer or of a migration tool may read a backslash in a text as the beginning of another character. */
    @Test
    void a_backslash_of_the_file_means_the_same_in_all_sessions() throws Exception {
        String otherwise = "set standard_conforming_strings = off; set escape_string_warning = off; ";
        database.execute("create table shop.codes (id bigint primary key, code text)");
        Path file = write("codes", """
                table: shop.codes
                aggregate-type: code
                per: statement
                events:
                  - {on: insert, type: 'code\\\\added', when: "new.code ~ '^\\\\d+$'"}
                """);
        for (String statement : (otherwise + run("print", file.toString()).out()).split("(?<=;)\n\n")) {
            database.execute(statement);
        }
        database.execute("reset standard_conforming_strings");
        assertThat(run("check", file.toString()).out()).contains("No problems found.");

        database.execute(otherwise + "insert into shop.codes values (1, '42')");

        assertThat(types()).hasSize(1);
        database.execute("alter function outbox_capture_codes() reset standard_conforming_strings");
        assertThat(run("check", file.toString()).out()).contains("its function differs from the file");
        run("apply", file.toString()).assertDone();
        assertThat(run("check", file.toString()).out()).contains("No problems found.");
    }

    @Test
    void what_is_wrong_in_a_file_is_named_with_its_line_and_nothing_is_changed() throws Exception {
        database.execute(
                "create table shop.log (line text); create view shop.seen as select * from shop.log;"
                        + " create table shop.child () inherits (shop.log);"
                        + " create table shop.totals (id int primary key, a int, doubled int generated always as (a * 2) virtual)");
        expect(
                "unknown",
                ALL_EVENTS.replace("[status]", "[statuss]"),
                ":9: column statuss does not exist in shop.bookings, did you mean status?");
        expect("condition", ALL_EVENTS.replace("new.seats >", "new.chairs >"), ":14: column chairs does not exist");
        expect("syntax", ALL_EVENTS.replace("new.seats > 10", "new.seats > > 10"), ":14: ERROR: ");
        expect(
                "field",
                ALL_EVENTS.replace("aggregate-type", "agregate-type"),
                ":2: unknown field agregate-type, did you mean aggregate-type?");
        expect("Bookings", ALL_EVENTS, ":1: the name of the file must have 1 to 30 lower-case letters");
        expect("bookings-key-2", ALL_EVENTS, ":1: the name of the file must not end in -key-1, -key-2 or -again");
        expect("yaml", "table: [", "is not YAML");
        expect("absent", minimal("shop.nothing"), ":1: table shop.nothing does not exist");
        expect("no-name", minimal("a b c.d."), "table a b c.d. does not exist");
        expect("no-key", minimal("shop.child"), "has no primary key. Name the columns");
        expect("nullable", ALL_EVENTS + "aggregate-id: tenant\n", "column tenant can be null");
        expect("view", minimal("shop.seen"), "is not a table");
        expect("parent", minimal("shop.log"), "has child tables by inheritance (shop.child)");
        expect(
                "pair",
                minimal("shop.bookings") + "per: statement\nalways: true\n",
                ":6: always: true and per: statement exclude each other");
        expect("twice", minimal("shop.bookings") + "table: shop.log\n", "the field table is given twice");
        expect("self", minimal("public.outbox"), "is the outbox itself");
        expect("virtual", minimal("shop.totals"), "column doubled is a virtual generated column");
        expect(
                "rights",
                ALL_EVENTS,
                "has no right TRIGGER on shop.bookings",
                "may not create a function in schema public");
        assertThat(database.number("select count(*) from pg_proc where proname like 'outbox_capture%'"))
                .isZero();
    }

    @Test
    void list_reports_triggers_that_a_migration_of_the_application_has_dropped() throws Exception {
        applied("bookings", ALL_EVENTS);

        database.execute("alter table shop.bookings drop column status cascade");

        assertThat(run("list").out())
                .contains(
                        "incomplete", "Capture bookings: no trigger is left for event 2. Its changes are not captured");
        assertThat(command("check").out())
                .contains("capture bookings: no trigger is left for event 2. Its changes are not captured");
        assertThat(run("list", "--output", "json").out())
                .contains("\"enabled\" : false", "no trigger is left for event 2");
    }

    @Test
    void list_reports_a_table_that_was_replaced_by_a_new_one() throws Exception {
        applied("bookings", ALL_EVENTS);

        database.execute("alter table shop.bookings rename to old_bookings");
        assertThat(run("list").out()).contains("shop.old_bookings", "enabled");
        database.execute("create table shop.bookings (like shop.old_bookings including all)");

        assertThat(run("list").out())
                .contains(
                        "incomplete",
                        "its triggers are on shop.old_bookings. Changes of shop.bookings are not captured");
        database.execute("drop table shop.old_bookings");
        assertThat(run("list").out()).contains("incomplete", "Capture bookings: it has no triggers");
        run("apply", file("bookings").toString()).assertDone();
        assertThat(run("list").out()).contains("enabled").doesNotContain("Capture bookings:");
    }

    @Test
    void list_reports_writers_that_a_trigger_does_not_see() throws Exception {
        applied("bookings", minimal("shop.bookings") + "per: statement\n");
        assertThat(run("list").out()).contains("enabled");

        database.execute("alter table shop.bookings enable always trigger _outbox_capture_bookings_01");
        assertThat(run("list").out())
                .contains("incomplete", "rows that logical replication applies are not captured", "per: row");
        database.execute("alter table shop.bookings enable trigger _outbox_capture_bookings_01;"
                + " create table shop.all_bookings (like shop.bookings) partition by range (id);"
                + " alter table shop.all_bookings attach partition shop.bookings for values from (0) to (10)");
        assertThat(run("list").out())
                .contains("shop.bookings is a partition now. Rows written through its parent are not captured");
        database.execute("alter table shop.all_bookings detach partition shop.bookings;"
                + " create table shop.more_bookings () inherits (shop.bookings)");
        assertThat(run("list").out())
                .contains("shop.bookings has child tables by inheritance now. Their rows are not captured");
    }

    @Test
    void a_column_that_a_trigger_uses_is_changed_with_the_statements_of_the_documentation() throws Exception {
        applied("bookings", ALL_EVENTS);
        for (String change : List.of("id type int", "status type varchar(9)", "seats type bigint")) { // key, of, when
            assertThatThrownBy(() -> database.execute("alter table shop.bookings alter " + change))
                    .hasMessageContaining("cannot alter type of a column used in a trigger definition");
        }
        database.execute("alter table shop.bookings alter tenant type varchar(20)"); // only in a header
        String page = Files.readString(Path.of("docs/capture.md"));
        String block = page.substring(page.indexOf("```sql\nbegin;") + 7, page.indexOf("commit;\n```") + 7);
        assertThat(block).contains("alter status type varchar(20)");

        database.execute(block.replaceAll(
                "-- here the output.*",
                Matcher.quoteReplacement(
                        run("print", file("bookings").toString()).out())));

        assertThat(run("check", file("bookings").toString()).out()).contains("No problems found.");
        write("insert into shop.bookings values (1, 'open')");
        write("update shop.bookings set status = 'confirmed'");
        assertThat(types()).containsExactly("booking/1 booking.created", "booking/1 booking.confirmed");
    }

    @Test
    @Tag("long")
    void a_table_that_is_locked_is_not_waited_for() throws Exception {
        Path file = write("bookings", ALL_EVENTS);
        try (var writer = database.begin()) {
            writer.run("insert into shop.bookings values (1, 'open')");

            run("apply", file.toString())
                    .assertFailed("another transaction held a lock on shop.bookings for 3 s", "Nothing was changed");
        }
        assertThat(database.number("select count(*) from pg_proc where proname like 'outbox_capture%'"))
                .isZero();
    }

    /** Each writer inserts its numbers in order, so its captured numbers have a first one and no gap after it. */
    @Test
    void nothing_is_missed_from_the_installation_on_while_four_writers_insert() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> writers = new ArrayList<>();
        List<Throwable> failed = new CopyOnWriteArrayList<>();
        write("insert into shop.bookings values (0, 'open')");
        for (int writer = 0; writer < 4; writer++) {
            int number = writer;
            writers.add(new Thread(() -> insertUntil(ended, number, failed)));
        }
        writers.forEach(Thread::start);
        try {
            awaitRows(100);
            applied("bookings", ALL_EVENTS);
            awaitRows(300);
            applied("bookings", ALL_EVENTS.replace("booking.created", "booking.made"));
            awaitRows(300);
        } finally {
            ended.set(true);
            for (Thread writer : writers) {
                writer.join();
            }
        }

        assertThat(failed).isEmpty();
        assertThat(database.number(
                        "select count(*) from shop.bookings where id > (select min(aggregate_id::bigint) from outbox"
                                + " where aggregate_id::bigint / 1000000 = id / 1000000)"
                                + " and not exists (select from outbox where aggregate_id = id::text)"))
                .isZero();
        assertThat(database.number("select count(*) - count(distinct aggregate_id) from outbox"))
                .isZero();
        assertThat(database.number("select count(distinct type) from outbox")).isEqualTo(2);
    }

    private void insertUntil(AtomicBoolean ended, int writer, List<Throwable> failed) {
        try (var connection = database.unpooledAs(role(), TestOutbox.PASSWORD_OF_ROLES)
                        .getConnection();
                var insert = connection.prepareStatement("insert into shop.bookings values (?, 'open')")) {
            for (long id = 1_000_000L * (writer + 1); !ended.get(); id++) {
                insert.setLong(1, id);
                insert.executeUpdate();
            }
        } catch (SQLException e) {
            failed.add(e);
        }
    }

    private void awaitRows(int more) throws Exception {
        long goal = database.number("select count(*) from shop.bookings") + more;
        eventually(() -> assertThat(database.number("select count(*) from shop.bookings"))
                .isGreaterThanOrEqualTo(goal));
    }

    @Test
    void the_function_belongs_to_the_owner_of_the_outbox_in_its_schema() throws Exception {
        TestOutbox shared = TestOutbox.withoutTables();
        String owner = shared.role("owner");
        String developer = shared.role("developer");
        shared.execute(TABLE + "; create schema \"The Outbox\" authorization " + owner + "; grant " + owner + " to "
                + developer + "; grant usage on schema shop to " + owner + "; grant trigger on shop.bookings to "
                + owner);
        for (String[] command : new String[][] {
            {owner, "schema", "apply"}, {developer, "capture", "apply"}, {developer, "capture", "check"}
        }) {
            String settings = CommandRun.config(
                    folder,
                    shared.url(),
                    command[0],
                    "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES,
                    "caravan.schema=The Outbox");
            List<String> arguments = new ArrayList<>(List.of(command[1], command[2], "--config", settings));
            if (command[1].equals("capture")) {
                arguments.add(write("bookings", ALL_EVENTS).toString());
            }
            CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
            assertThat(run.err()).isEmpty();
            assertThat(run.exit()).as(run.out()).isZero();
        }

        shared.execute("insert into shop.bookings values (1, 'open')");

        assertThat(shared.text("select aggregate_id from \"The Outbox\".outbox"))
                .isEqualTo("1");
        assertThat(shared.text(
                        "select pg_get_userbyid(proowner) from pg_proc where proname = 'outbox_capture_bookings'"))
                .isEqualTo(owner);
        assertThat(shared.number("select count(*) from pg_proc where proname = 'outbox_capture_bookings'"
                        + " and has_function_privilege('public', oid, 'execute')"))
                .isZero();
    }

    @Test
    void the_file_in_the_documentation_can_be_installed() throws Exception {
        String page = Files.readString(Path.of("docs/capture.md"));
        String file = page.substring(page.indexOf("```yml\n") + 7, page.indexOf("```\n", page.indexOf("```yml")));

        applied("bookings", file);

        write("insert into shop.bookings values (1, 'open', 'acme', 2, null)");
        write("update shop.bookings set status = 'confirmed'");
        assertThat(types()).containsExactly("booking/1 booking.created", "booking/1 booking.confirmed");
    }
}
