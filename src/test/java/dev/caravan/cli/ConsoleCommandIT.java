package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.ShortLived;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.database.Database;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.lab.servers.FreePorts;
import dev.caravan.relay.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console as a process of its own, in a folder without routes, beside an application that delivers with the component. */
class ConsoleCommandIT {
    private static final String NO_ROUTES = "caravan.routes=absent";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private int port;

    @TempDir
    private Path folder;

    @BeforeEach
    void choosePort() throws IOException {
        port = FreePorts.one();
    }

    @Test
    @Timeout(180)
    void people_see_and_change_what_an_application_delivers() throws Exception {
        TestOutbox outbox = TestOutbox.create();
        AtomicBoolean accepts = new AtomicBoolean();
        List<String> delivered = new CopyOnWriteArrayList<>();
        try (TestRelay application = application(outbox, accepts, delivered)) {
            outbox.insertMany(3, 3);
            Process console =
                    start(CommandRun.config(folder, outbox, NO_ROUTES, "camel.component.kafka.brokers=none:1"));
            try {
                eventually(() -> assertThat(json("/api/subscriptions/orders")
                                .path("deadLetters")
                                .path("atLeast")
                                .asInt())
                        .isEqualTo(3));

                assertThat(json("/api/me").path("runsRoutes").asBoolean(true)).isFalse();
                assertThat(json("/api/subscriptions/orders")
                                .at("/lanes/0/owner")
                                .asText())
                        .isEqualTo("shop-1");
                assertThat(json("/api/relays").at("/items/0/relay").asText()).isEqualTo("shop-1");
                assertThat(json("/api/routes").path("items")).isEmpty();
                assertThat(json("/api/why/1").toString()).contains("dead-letter");
                assertThat(post("/api/dead-letters/orders/1/try", "{}"))
                        .startsWith("409 ")
                        .contains("runs no routes");

                accepts.set(true);
                assertThat(post("/api/dead-letters/orders/1/retry", "{}")).startsWith("200 ");
                eventually(() -> assertThat(delivered).containsExactly("1"));
                assertThat(post("/api/dead-letters/bulk", "{\"action\": \"retry\", \"all\": true}"))
                        .startsWith("202 ");
                eventually(() -> assertThat(delivered).containsExactlyInAnyOrder("1", "2", "3"));
                eventually(
                        () -> assertThat(json("/api/jobs").at("/items/0/state").asText())
                                .isEqualTo("done"));

                assertThat(post("/api/subscriptions/orders/pause", "{}")).startsWith("200 ");
                eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
                assertThat(get("/observe/health"))
                        .startsWith("200 ")
                        .contains("subscription-orders")
                        .doesNotContain("lanes-turn");
                assertThat(get("/observe/metrics"))
                        .contains("caravan_backlog_messages{subscription=\"orders\"", "caravan_dead_letters")
                        .doesNotContain("caravan_in_flight");
                assertThat(get("/console/")).startsWith("200 ");
            } finally {
                stop(console);
            }
            assertThat(console.exitValue()).isZero();
            assertThat(log())
                    .contains("The console is ready: http://localhost:" + port + "/console/", "The console has stopped")
                    .doesNotContain("WARN", "ERROR");
            assertThat(outbox.number("select count(*) from outbox_history"))
                    .as("it does no housekeeping")
                    .isZero();
        }
    }

    private static TestRelay application(TestOutbox outbox, AtomicBoolean accepts, List<String> delivered)
            throws Exception {
        return TestRelay.start(
                outbox.pool(),
                "orders?maxAttempts=1",
                exchange -> {
                    if (!accepts.get()) {
                        throw new IOException("refused");
                    }
                    delivered.add(exchange.getMessage().getHeader("outbox-id", String.class));
                },
                component -> component.setRelay("shop-1"));
    }

    @Test
    @Timeout(180)
    void commands_need_no_routes_folder_for_what_an_application_delivers() throws Exception {
        TestOutbox outbox = TestOutbox.create();
        try (TestRelay application = application(outbox, new AtomicBoolean(), new CopyOnWriteArrayList<>())) {
            outbox.insertMany(1, 1);
            eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
            String config = CommandRun.config(folder, outbox, NO_ROUTES);

            assertThat(run(config, "status").out()).contains("orders", "shop-1");
            assertThat(run(config, "why", "1").out()).contains("dead letter");
            assertThat(run(config, "dead-letters", "list").out()).contains("refused");
            run(config, "dead-letters", "retry", "orders", "1").assertDone();
            run(config, "subscriptions", "pause", "orders").assertDone();
            assertThat(run(config, "subscriptions", "list").out()).contains("paused");
            assertThat(run(config, "check").out()).contains("check --no-routes");
            run(config, "check", "--no-routes").assertDone("version, tables, sequence and privileges are correct");
        }
    }

    private static CommandRun run(String config, String... command) {
        return CommandRun.of(List.of(command), "--config", config);
    }

    @Test
    @Timeout(180)
    void without_its_database_the_pages_are_served_and_say_so() throws Exception {
        Process console = start(CommandRun.config(folder, "jdbc:postgresql://localhost:1/none", "postgres", NO_ROUTES));
        try {
            eventually(() -> assertThat(get("/observe/health/live")).startsWith("200 "));
            eventually(() -> assertThat(get("/observe/health/ready"))
                    .startsWith("503 ")
                    .contains("Database unavailable since 20", "Could not connect"));
            assertThat(get("/api/overview")).startsWith("503 ").contains("Could not connect");
        } finally {
            stop(console);
        }
        assertThat(console.exitValue()).isZero();
        assertThat(log()).contains("The pages wait for the database. Could not connect", "The console has stopped");
    }

    @Test
    void a_role_that_may_only_read_sees_everything_and_is_told_which_grant_a_change_needs() throws Exception {
        TestOutbox outbox = TestOutbox.create();
        String reader = outbox.role("reader");
        outbox.execute("grant select on all tables in schema public to " + reader);
        outbox.execute("grant select on sequence outbox_id_seq to " + reader);
        outbox.execute("insert into outbox_subscription (name, position) values ('orders', 0)");
        Settings settings = outbox.settings(Map.of(
                "caravan.db.user",
                reader,
                "caravan.db.password",
                TestOutbox.PASSWORD_OF_ROLES,
                "camel.management.enabled",
                "true",
                "camel.management.port",
                Integer.toString(port)));

        assertThat(DatabaseReadiness.ofConsole(Database.forLongCommand(settings))
                        .isReady())
                .isTrue();
        try (Console console = Console.start(settings)) {
            eventually(() -> assertThat(get("/observe/health/ready")).startsWith("200 "));
            for (String page : List.of(
                    "overview",
                    "history",
                    "relays",
                    "dead-letters",
                    "dead-letters/groups",
                    "retries",
                    "messages",
                    "partitions",
                    "audit",
                    "jobs",
                    "outboxes",
                    "subscriptions/orders")) {
                assertThat(get("/api/" + page)).as(page).startsWith("200 ");
            }
            assertThat(post("/api/subscriptions/orders/pause", "{}"))
                    .startsWith("503 ")
                    .contains("grant ", "outbox_subscription");
        }
    }

    @Test
    void tables_that_are_missing_end_it_with_what_to_do() throws Exception {
        run(CommandRun.config(folder, TestOutbox.withoutTables()), "console", "--port", "" + port)
                .assertFailed("Could not start the console", "./caravan schema apply", "Nothing was started.");
    }

    @Test
    @Timeout(180)
    void why_it_does_not_start_is_in_a_log_of_json_too() throws Exception {
        Process console =
                start(CommandRun.config(folder, TestOutbox.withoutTables(), NO_ROUTES, "caravan.log.format=json"));

        assertThat(console.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(console.exitValue()).isEqualTo(1);
        List<String> lines = Files.readAllLines(folder.resolve("err"));
        assertThat(JSON.readTree(lines.get(lines.size() - 1)).path("message").asText())
                .contains("Could not start the console", "./caravan schema apply");
    }

    @Test
    void a_port_in_use_is_reported_with_the_option_that_changes_it() throws Exception {
        String config = CommandRun.config(folder, TestOutbox.create());
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            run(config, "console", "--port", "" + other.getLocalPort())
                    .assertWrongUse(
                            "Could not listen on port " + other.getLocalPort(), "Nothing was started.", "--port");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "camel.management.prot=1,did you mean camel.management.port",
        "caravan.management.token=short,caravan.management.token",
        "camel.management.host=0.0.0.0,anyone who can reach the port",
        "caravan.peeple.roles=x,did you mean caravan.people.roles"
    })
    void a_wrong_setting_ends_it_before_anything_starts(String line, String reason) throws Exception {
        run(CommandRun.config(folder, TestOutbox.create(), line), "console", "--port", "" + port)
                .assertWrongUse("Could not start the console", reason, "Nothing was started.");
    }

    @Test
    void a_port_out_of_range_is_refused() throws Exception {
        run(CommandRun.config(folder, TestOutbox.create()), "console", "--port", "0")
                .assertWrongUse("--port must be between 1 and 65535, got 0.");
    }

    private Process start(String config) throws IOException {
        List<String> command = ShortLived.java(
                List.of(), Caravan.class, "console", "--config", config, "--port", Integer.toString(port));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.matches("(CARAVAN|CAMEL)_.*"));
        return builder.start();
    }

    /** It is within the time that a person waits for a prompt; a busy machine has longer. */
    private static void stop(Process console) throws InterruptedException {
        console.toHandle().destroy();
        try {
            assertThat(console.waitFor(20, TimeUnit.SECONDS)).as("it has ended").isTrue();
        } finally {
            console.destroyForcibly();
        }
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private JsonNode json(String path) throws Exception {
        String answer = get(path);
        return answer.startsWith("200 ") ? JSON.readTree(answer.substring(4)) : JSON.createObjectNode();
    }

    /** The status, a space and the body; empty while nothing listens. */
    private String get(String path) throws InterruptedException {
        return send(request(path).GET());
    }

    private String post(String path, String body) throws InterruptedException {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .timeout(Duration.ofSeconds(30));
    }

    private String send(HttpRequest.Builder request) throws InterruptedException {
        try {
            var answer = http.send(request.build(), BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException e) {
            return "";
        }
    }
}
