package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.outbox.TestOutbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.JdbcTemplate;

/** Captures of real tables, written by an application that has no right on the outbox. */
class CaptureCommandTest {
    private static final String TABLE = "create schema shop; create table shop.bookings (id bigint primary key,"
            + " status text not null, tenant text, seats int, note text)";
    private static final String ALL_EVENTS = """
            table: shop.bookings
            aggregate-type: booking
            events:
              - on: insert
                type: booking.created
                headers:
                  tenant: tenant
              - on: update
                of: [status]
                type: booking.{status}
                payload: old-and-new
              - on: update
                of: seats
                when: new.seats > 10
                type: booking.grew
                payload: [id, seats]
              - on: delete
                type: booking.deleted
                payload: none
            """;

    @TempDir
    private Path folder;

    private TestOutbox database;
    private String config;
    private JdbcTemplate application;
    private String role;

    @BeforeEach
    void createTable() throws Exception {
        database = TestOutbox.create();
        config = CommandRun.config(folder, database);
        database.execute(TABLE);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void each_change_is_written_as_its_event_and_other_changes_are_not() throws Exception {
        applied("bookings", ALL_EVENTS);

        write("insert into shop.bookings values (7, 'open', 'acme', 2, 'x')");
        write("update shop.bookings set note = 'y' where id = 7"); // no event
        write("update shop.bookings set status = 'confirmed', seats = 20 where id = 7");
        write("update shop.bookings set seats = 3 where id = 7"); // the condition is false
        write("delete from shop.bookings where id = 7");

        assertThat(messages())
                .containsExactly(
                        "booking/7 booking.created {\"tenant\": \"acme\"}"
                                + " {\"id\":7,\"status\":\"open\",\"tenant\":\"acme\",\"seats\":2,\"note\":\"x\"}",
                        "booking/7 booking.confirmed - {\"old\" : {\"id\":7,\"status\":\"open\",\"tenant\":\"acme\",\"seats\":2,\"note\":\"y\"},"
                                + " \"new\" : {\"id\":7,\"status\":\"confirmed\",\"tenant\":\"acme\",\"seats\":20,\"note\":\"y\"}}",
                        "booking/7 booking.grew - {\"id\" : 7, \"seats\" : 20}",
                        "booking/7 booking.deleted - -");
    }

    @Test
    void a_changed_key_is_a_deletion_and_an_insertion() throws Exception {
        applied("bookings", ALL_EVENTS);
        write("insert into shop.bookings values (1, 'open', null, 2, null)");

        write("update shop.bookings set id = 2, status = 'moved'");

        assertThat(types())
                .containsExactly("booking/1 booking.created", "booking/1 booking.deleted", "booking/2 booking.created");
    }

    @Test
    void what_a_trigger_of_the_application_changes_is_a_later_message() throws Exception {
        database.execute("""
                create function shop.confirm() returns trigger language plpgsql as
                $$begin update shop.bookings set status = 'confirmed' where id = new.id; return null; end$$;
                create trigger after_insert after insert on shop.bookings for each row execute function shop.confirm();
                """);
        applied("bookings", ALL_EVENTS);

        write("insert into shop.bookings values (1, 'open', null, 2, null), (2, 'open', null, 2, null)");

        assertThat(types())
                .containsExactly(
                        "booking/1 booking.created",
                        "booking/1 booking.confirmed",
                        "booking/2 booking.created",
                        "booking/2 booking.confirmed");
    }

    @Test
    void copy_upsert_savepoints_and_rolled_back_changes_are_captured_as_they_are_committed() throws Exception {
        applied("bookings", ALL_EVENTS);
        try (var connection =
                database.unpooledAs(role(), TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "copy shop.bookings (id, status) from stdin",
                            new java.io.StringReader("1\topen\n2\topen\n"));
            connection.setAutoCommit(false);
            var statement = connection.createStatement();
            statement.execute(
                    "insert into shop.bookings values (2, 'x'), (3, 'open') on conflict (id) do update set status = 'held'");
            var savepoint = connection.setSavepoint();
            statement.execute("delete from shop.bookings");
            connection.rollback(savepoint);
            connection.commit();
            statement.execute("delete from shop.bookings");
            connection.rollback();
        }

        assertThat(types())
                .containsExactlyInAnyOrder(
                        "booking/1 booking.created",
                        "booking/2 booking.created",
                        "booking/2 booking.held",
                        "booking/3 booking.created");
    }

    @Test
    void a_table_that_is_only_inserted_into_may_be_captured_per_statement() throws Exception {
        database.execute(
                "create table shop.events (event_id uuid primary key, kind text, body jsonb, subject text not null)");
        applied("events", """
                table: shop.events
                aggregate-type: subject
                aggregate-id: subject
                message-id: event_id
                per: statement
                events:
                  - on: insert
                    type: "{kind}"
                    when: new.kind <> 'noise'
                    payload: [body]
                """);

        write(
                "insert into shop.events select gen_random_uuid(), case n % 2 when 0 then 'noise' else 'fact' end, '{}', 's' || n"
                        + " from generate_series(1, 1000) n");

        assertThat(database.number("select count(*) from outbox join shop.events on message_id = event_id"
                        + " where kind = 'fact' and type = 'fact' and aggregate_id = subject"))
                .isEqualTo(500);
        assertThat(database.number("select count(*) from outbox")).isEqualTo(500);
    }

    @Test
    void the_value_of_a_column_can_be_the_payload() throws Exception {
        database.execute("create table shop.facts (id int primary key, body json, pair jsonb, note text)");
        applied("facts", """
                table: shop.facts
                aggregate-type: fact
                events:
                  - {on: insert, type: body, payload: "{body}"}
                  - {on: insert, type: pair, payload: "{pair}"}
                  - {on: insert, type: note, payload: "{note}"}
                """);

        write(
                "insert into shop.facts values (1, '{\"a\":1.0,  \"a\": 2}', '{\"b\":[ ]}', 'a \"word\"'), (2, null, null, null)");

        assertThat(messages())
                .containsExactly(
                        "fact/1 body - {\"a\":1.0,  \"a\": 2}",
                        "fact/1 pair - {\"b\": []}",
                        "fact/1 note - \"a \\\"word\\\"\"",
                        "fact/2 body - -",
                        "fact/2 pair - -",
                        "fact/2 note - -");
        expect(
                "absent-value",
                minimal("shop.facts").replace("x.added", "x.added, payload: '{bodi}'"),
                "did you mean body?");
    }

    @Test
    void a_truncate_is_refused_or_captured_or_ignored_as_the_file_says() throws Exception {
        applied("bookings", ALL_EVENTS);
        database.execute("insert into shop.bookings values (1, 'open')");

        assertThatThrownBy(() -> database.execute("truncate shop.bookings"))
                .hasMessageContaining("TRUNCATE of shop.bookings is not captured")
                .hasMessageContaining("truncate: ignore");

        applied("bookings", ALL_EVENTS + "  - on: truncate\n    type: bookings.emptied\n");
        database.execute("truncate shop.bookings");
        assertThat(types()).endsWith("booking/shop.bookings bookings.emptied");

        applied("bookings", ALL_EVENTS + "truncate: ignore\n");
        database.execute("truncate shop.bookings");
        assertThat(types()).hasSize(2);
        assertThat(run("check", file("bookings").toString()).exit()).isZero();
    }

    @Test
    void partitions_and_rows_that_move_between_them_are_captured() throws Exception {
        database.execute("create table shop.seats (id bigint, zone text, taken boolean, primary key (id, zone))"
                + " partition by list (zone); create table shop.seats_a partition of shop.seats for values in ('a')");
        applied("seats", """
                table: shop.seats
                aggregate-type: seat
                aggregate-id: id
                events:
                  - {on: insert, type: seat.added}
                  - {on: update, type: seat.changed}
                  - {on: delete, type: seat.removed}
                """);
        database.execute("create table shop.seats_b partition of shop.seats for values in ('b')");

        write("insert into shop.seats_a values (1, 'a', false)");
        write("update shop.seats set taken = true");
        write("update shop.seats set zone = 'b'");

        assertThat(types())
                .containsExactlyInAnyOrder(
                        "seat/1 seat.added", "seat/1 seat.changed", "seat/1 seat.removed", "seat/1 seat.added");
        database.execute("alter table shop.seats_b disable trigger _outbox_capture_seats_02");
        assertThat(run("check", file("seats").toString()).out())
                .contains("trigger _outbox_capture_seats_02 on shop.seats_b is disabled");
    }

    @Test
    void large_values_unusual_types_names_and_row_security_are_no_obstacle() throws Exception {
        database.execute(
                "create table shop.\"Order Lines\" (\"Order Id\" uuid not null, position int not null, \"user\" text, doc json,"
                        + " at point, tags text[], primary key (\"Order Id\", position));"
                        + " alter table shop.\"Order Lines\" enable row level security;"
                        + " create policy own on shop.\"Order Lines\" using (true) with check (true);"
                        + " alter table shop.\"Order Lines\" alter doc set storage external");
        applied("order-lines", """
                table: shop."Order Lines"
                aggregate-type: order's line
                events:
                  - on: insert
                    type: line.added
                    payload: [user]
                  - on: update
                    of: [doc, at, tags]
                    type: line.changed
                """);

        write("insert into shop.\"Order Lines\" values ('00000000-0000-0000-0000-000000000001', 2, 'ann',"
                + " to_json(repeat('x', 100000)), '(1,1)', '{a}')");
        write("update shop.\"Order Lines\" set \"user\" = 'bob'");
        write("update shop.\"Order Lines\" set at = '(2,2)'");

        assertThat(types())
                .containsExactly(
                        "order's line/00000000-0000-0000-0000-000000000001/2 line.added",
                        "order's line/00000000-0000-0000-0000-000000000001/2 line.changed");
        assertThat(database.number("select length(payload->>'doc') from outbox where type = 'line.changed'"))
                .isEqualTo(100_000);
    }

    @Test
    void what_is_installed_is_compared_with_the_file_and_applied_again_only_if_it_differs() throws Exception {
        Path file = write("bookings", ALL_EVENTS);
        assertThat(run("check", file.toString()))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::out)
                .asString()
                .contains(file + ":1: is not installed. Run: ./caravan capture apply");
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

        assertThat(run("apply", file.toString()).exit()).isZero();
        assertThat(run("check", file.toString()).out()).contains("No problems found.");
        assertThat(database.number("select count(*) from pg_trigger where tgenabled = 'A'"))
                .isEqualTo(7);

        database.execute("alter table shop.bookings rename status to state");
        assertThat(run("check", file.toString()))
                .returns(1, CommandRun::exit)
                .extracting(CommandRun::out)
                .asString()
                .contains(file + ":9: column status does not exist in shop.bookings, did you mean state?");

        assertThat(run("remove", "bookings", "--yes").out()).contains("Removed capture bookings of shop.bookings");
        assertThat(database.number("select count(*) from pg_trigger where tgname like '%outbox_capture%'"))
                .isZero();
        assertThat(run("remove", "bookings", "--yes").err()).contains("There is no capture bookings");
    }

    @Test
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
    void a_table_that_is_locked_is_not_waited_for() throws Exception {
        Path file = write("bookings", ALL_EVENTS);
        try (var writer = database.begin()) {
            writer.run("insert into shop.bookings values (1, 'open')");

            assertThat(run("apply", file.toString()))
                    .returns(1, CommandRun::exit)
                    .extracting(CommandRun::err)
                    .asString()
                    .contains("another transaction held a lock on shop.bookings for 3 s", "Nothing was changed");
        }
        assertThat(database.number("select count(*) from pg_proc where proname like 'outbox_capture%'"))
                .isZero();
    }

    /** Each writer inserts its numbers in order, so what is captured of it has a beginning and no gap after it. */
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

    private void expect(String name, String yaml, String... texts) throws Exception {
        Path file = write(name, yaml);
        String role = name.equals("rights") ? role() : "postgres";
        String settings =
                CommandRun.config(folder, database.url(), role, "caravan.db.password=" + TestOutbox.PASSWORD_OF_ROLES);
        CommandRun run = CommandRun.of("capture", "apply", file.toString(), "--config", settings);
        assertThat(run.exit()).as(name).isEqualTo(1);
        assertThat(run.err()).as(name).contains(file + ":").contains(texts).contains("Nothing was changed");
    }

    private static String minimal(String table) {
        return "table: " + table + "\naggregate-type: x\nevents:\n  - {on: insert, type: x.added}\n";
    }

    private void applied(String name, String yaml) throws Exception {
        CommandRun run = run("apply", write(name, yaml).toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isZero();
    }

    private Path file(String name) {
        return folder.resolve(name + ".yaml");
    }

    private Path write(String name, String yaml) throws IOException {
        return Files.writeString(file(name), yaml);
    }

    private CommandRun run(String... args) {
        List<String> all = new ArrayList<>(List.of("capture"));
        all.addAll(Arrays.asList(args));
        all.addAll(List.of("--config", config));
        return CommandRun.of(all.toArray(String[]::new));
    }

    /** The role of the application: it may write its tables, and nothing else. */
    private synchronized String role() throws SQLException {
        if (role == null) {
            role = database.role("application");
            database.execute("grant usage on schema shop to " + role
                    + "; grant insert, update, delete, select on all tables in schema shop to " + role);
        }
        return role;
    }

    private void write(String sql) throws SQLException {
        if (application == null) {
            application = new JdbcTemplate(database.unpooledAs(role(), TestOutbox.PASSWORD_OF_ROLES));
        }
        application.execute(sql);
    }

    private List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || type || ' '"
                                + " || coalesce(headers::text, '-') || ' ' || coalesce(payload::text, '-') from outbox order by id",
                        String.class);
    }

    private List<String> types() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || type from outbox order by id",
                        String.class);
    }
}
