package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.WrittenLog;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Relay;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * This version on tables that a next version has expanded, during an upgrade or after a back-out. What a migration may add is in
 * CONTRIBUTING.md, "Expand, then contract".
 */
class ExpandedSchemaIT {
    private static final List<String> TABLES = List.of(
            "outbox",
            "outbox_subscription",
            "outbox_relay",
            "outbox_lease",
            "outbox_history",
            "outbox_idempotent",
            "outbox_retry",
            "outbox_dead_letter",
            "outbox_audit");
    private static final String ROUTES = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  parameters:
                    maxAttempts: 1
                    onDead: continue
                  steps:
                    - choice:
                        when:
                          - expression:
                              simple:
                                expression: "${header.type} == 'bad'"
                            steps:
                              - throwException:
                                  exceptionType: java.lang.IllegalStateException
                                  message: bad
            - route:
                id: sms
                from:
                  uri: outbox:sms
                  parameters:
                    types: bad
                    backoff: 1h
                  steps:
                    - throwException:
                        exceptionType: java.lang.IllegalStateException
                        message: busy
            """;

    @TempDir
    private Path folder;

    private TestOutbox database;
    private String config;
    private int port;

    @BeforeEach
    void expand() throws Exception {
        database = TestOutbox.create();
        for (String table : TABLES) {
            database.execute("alter table " + table
                    + " add column next_note text, add column next_count int not null default 0");
            database.execute("create index " + table + "_by_note on " + table + " (next_note)");
        }
        database.execute(
                "create table outbox_next (id bigint primary key, subscription text);"
                        + " create function outbox_next_lane(aggregate_type text) returns int language sql as 'select 1';"
                        + " create view outbox_next_view as select * from outbox; grant select on outbox to public;"
                        + " insert into outbox_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, execution_time, success) values (2, '2', 'next', 'SQL', 'V2__next.sql', 1, 'o', 1, true)");
        port = FreePorts.one();
        Path routes = Files.createDirectory(folder.resolve("routes"));
        Files.writeString(routes.resolve("orders.camel.yaml"), ROUTES);
        config = CommandRun.config(
                folder,
                database,
                "caravan.routes=" + routes,
                "camel.management.enabled=true",
                "camel.management.port=" + port);
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void a_relay_delivers_and_people_read_and_change_everything() throws Exception {
        database.execute(
                "insert into outbox (aggregate_type, aggregate_id, type, payload, next_note)"
                        + " select 'order', n::text, case n when 2 then 'bad' else 'good' end, '{}', 'new' from generate_series(1, 4) n");

        try (Relay relay = Relay.start(Settings.load(Path.of(config), Map.of()))) {
            eventually(() -> assertThat(
                            database.text("select string_agg(name || ':' || position || gaps, ' ' order by name)"
                                    + " from outbox_subscription"))
                    .isEqualTo("orders:4{} sms:4{}"));
            assertThat(database.text("select string_agg(subscription || id, ' ') from outbox_dead_letter"))
                    .isEqualTo("orders2");
            assertThat(database.text("select string_agg(subscription || id, ' ') from outbox_retry"))
                    .isEqualTo("sms2");

            eventually(() -> assertThat(get("/api/overview")).isEqualTo(200));
            for (String path : pathsOfTheConsole()) {
                assertThat(get(path)).as(path).isEqualTo(200);
            }
            run("status");
            run("subscriptions", "list");
            run("subscriptions", "pause", "sms");
            run("subscriptions", "resume", "sms");
            run("retries", "list");
            run("retries", "give-up", "sms", "2", "--reason", "test");
            run("dead-letters", "list");
            run("dead-letters", "show", "orders", "2");
            run("dead-letters", "export", "--file", folder.resolve("exported").toString());
            run("dead-letters", "retry", "orders", "2");
            run("dead-letters", "discard", "sms", "2", "--reason", "test");
            run("subscriptions", "replay", "orders", "--from-id", "1", "--to-id", "1", "--yes");
            run("partitions", "list");
            run("audit", "list");
            eventually(() -> assertThat(database.number("select count(*) from outbox_dead_letter"))
                    .as("the retried message is dead again")
                    .isEqualTo(1));
        }
    }

    @Test
    void check_and_run_report_that_the_tables_are_newer_and_continue() throws Exception {
        assertThat(run("check").out())
                .contains("schema version 2, and this version of Caravan needs 1", "No problems found.");
        assertThat(run("schema", "apply").out()).contains("The tables are up to date.");
        try (var log = WrittenLog.of(DatabaseReadiness.class)) {
            run("run");

            assertThat(log.lines()).singleElement().asString().contains("schema version 2", "only adds");
        }
    }

    private CommandRun run(String... command) {
        return CommandRun.of(List.of(command), "--config", config).assertDone();
    }

    /** Those that need no parameter, and each kind of message. */
    private List<String> pathsOfTheConsole() throws Exception {
        var paths = new ObjectMapper()
                .readTree(getClass().getResourceAsStream("/api/openapi.json"))
                .path("paths");
        var plain = paths.properties().stream()
                .filter(path -> path.getValue().has("get") && !path.getKey().contains("{"))
                .filter(path -> !path.getKey().equals("/api/find"))
                .map(Map.Entry::getKey);
        return Stream.concat(
                        plain,
                        Stream.of(
                                "/api/find?text=bad",
                                "/api/why/2",
                                "/api/subscriptions/orders",
                                "/api/messages/1",
                                "/api/dead-letters/orders/2",
                                "/api/retries/sms/2"))
                .toList();
    }

    private int get(String path) throws Exception {
        URI uri = URI.create("http://localhost:" + port + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                .statusCode();
    }
}
