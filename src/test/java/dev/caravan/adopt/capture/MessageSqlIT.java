package dev.caravan.adopt.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessageSqlIT {
    private static final String FILE = """
            table: shop."Order"
            aggregate-type: it's
            aggregate-id: [id, "The Part"]
            events:
              - on: insert
                type: order.{state}
                when: new.amount is null or new.amount > 1
                headers: {tenant: tenant, "a'b": amount}
              - on: insert
                type: order.small
                payload: [amount, "The Part"]
            """;

    @TempDir
    private Path folder;

    @Test
    void a_row_that_exists_becomes_the_message_that_the_trigger_wrote_for_it() throws Exception {
        try (var database = TestOutbox.create();
                var connection = database.unpooled().getConnection()) {
            database.execute("create schema shop; create table shop.\"Order\" (id int, \"The Part\" text, state text,"
                    + " amount numeric, tenant text, dropped int, primary key (id, \"The Part\"));"
                    + " alter table shop.\"Order\" drop column dropped");
            Path file = Files.writeString(folder.resolve("orders.yaml"), FILE);
            new Captures(database.dataSource()).apply(List.of(file));
            database.execute(
                    "insert into shop.\"Order\" values (1, 'a', 'open', 1.50, 'acme'), (1, 'b/c', null, 1, null),"
                            + " (2, '', 'x''y', null, null)");
            List<String> written = messages(database);
            assertThat(written).hasSize(5);
            database.execute("truncate outbox");

            List<FileProblem> problems = new ArrayList<>();
            Capture capture = CaptureFile.read(file, problems).orElseThrow();
            CapturedTable table =
                    CapturedTable.find(connection, capture.table().text(), null).orElseThrow();
            MessageSql sql = new MessageSql(capture, table);
            for (CapturedEvent event : capture.events()) {
                database.execute(sql.ofRows(event, table.name() + " as new"));
            }

            assertThat(messages(database)).isEqualTo(written);
            database.execute(sql.ofRows(capture.events().get(0), table.name() + " as new", "new.id = 1", "true"));
            assertThat(messages(database)).hasSize(6);
        }
    }

    @Test
    void a_column_of_bytes_becomes_a_binary_payload() throws Exception {
        try (var database = TestOutbox.create();
                var connection = database.unpooled().getConnection()) {
            database.execute("create table event (id int primary key, body bytea, note text)");
            Path file = Files.writeString(folder.resolve("event.yaml"), """
                    table: event
                    aggregate-type: event
                    events:
                      - on: insert
                        type: event.added
                        payload: "{body}"
                      - on: insert
                        type: event.noted
                        payload: "{note}"
                    """);
            new Captures(database.dataSource()).apply(List.of(file));
            database.execute("insert into event values (1, '\\x00ff', 'a'), (2, null, null), (3, '\\x', 'c')");
            List<String> written = messages(database);
            assertThat(written)
                    .containsExactly(
                            "event 1 event.added \\x00ff",
                            "event 1 event.noted \"a\"",
                            "event 2 event.added",
                            "event 2 event.noted",
                            "event 3 event.added \\x",
                            "event 3 event.noted \"c\"");
            database.execute("truncate outbox");

            Capture capture = CaptureFile.read(file, new ArrayList<>()).orElseThrow();
            CapturedTable table = CapturedTable.find(connection, "event", null).orElseThrow();
            database.execute(new MessageSql(capture, table).inOrder("true", List.of("id")));

            assertThat(messages(database)).isEqualTo(written);
        }
    }

    @Test
    void a_backfill_writes_a_column_of_bytes_also_if_the_events_write_rows() throws Exception {
        try (var database = TestOutbox.create();
                var connection = database.unpooled().getConnection()) {
            database.execute("create table event (id int primary key, body bytea)");
            database.execute("insert into event values (1, '\\x00ff')");
            Path file = Files.writeString(folder.resolve("event.yaml"), """
                    table: event
                    aggregate-type: event
                    events:
                      - on: insert
                        type: event.added
                    backfill:
                      type: event.copied
                      payload: "{body}"
                    """);
            Capture capture = CaptureFile.read(file, new ArrayList<>()).orElseThrow();
            CapturedTable table = CapturedTable.find(connection, "event", null).orElseThrow();

            database.execute(new MessageSql(capture, table)
                    .ofRows(capture.snapshot(), table.name() + " as new", "true", "true"));

            assertThat(messages(database)).containsExactly("event 1 event.copied \\x00ff");
        }
    }

    @Test
    void a_backfill_cannot_take_the_payload_of_an_event_with_the_old_row() throws Exception {
        Path file = Files.writeString(folder.resolve("event.yaml"), """
                table: event
                aggregate-type: event
                events:
                  - on: insert
                    type: event.added
                    payload: old-and-new
                """);
        List<FileProblem> problems = new ArrayList<>();

        CaptureFile.read(file, problems);

        assertThat(problems.toString()).contains("a backfill has no old row, so its payload cannot be old-and-new");
    }

    private static List<String> messages(TestOutbox database) {
        return database.jdbc()
                .queryForList(
                        "select concat_ws(' ', aggregate_type, aggregate_id, type, headers, payload, payload_bytes) as m from outbox order by m",
                        String.class);
    }
}
