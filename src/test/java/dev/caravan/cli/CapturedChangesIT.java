package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Which messages a capture writes for the changes of its table. */
class CapturedChangesIT extends CaptureFixture {
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
    @Tag("long")
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
    @Tag("long")
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
    @Tag("long")
    void a_header_contains_the_nulls_inside_its_value() throws Exception {
        database.execute("create table shop.tags (id int primary key, tags jsonb)");
        applied("tags", minimal("shop.tags").replace("x.added", "x.added, payload: none, headers: {tags: tags}"));

        write("insert into shop.tags values (1, '{\"a\": null}')");

        assertThat(messages()).containsExactly("x/1 x.added {\"tags\": {\"a\": null}} -");
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
        run("check", file("bookings").toString()).assertDone();
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
    @Tag("long")
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

    private List<String> messages() {
        return database.jdbc()
                .queryForList(
                        "select aggregate_type || '/' || aggregate_id || ' ' || type || ' '"
                                + " || coalesce(headers::text, '-') || ' ' || coalesce(payload::text, '-') from outbox order by id",
                        String.class);
    }
}
