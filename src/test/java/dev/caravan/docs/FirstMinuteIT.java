package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.schema.Schema;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.relay.Relay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what README and the pages tell a new user to run, on a real Postgres and a real HTTP server. */
class FirstMinuteIT {
    private static final long LIMIT_SECONDS = 90;

    /** A request that reached the webhook. */
    private record Posted(Map<String, String> headers, String body) {}

    private final BlockingQueue<Posted> posted = new LinkedBlockingQueue<>();
    private HttpServer webhook;

    @TempDir
    private Path routes;

    @BeforeEach
    void startWebhook() throws IOException {
        webhook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        webhook.createContext("/", this::receive);
        webhook.start();
    }

    @AfterEach
    void stopWebhook() {
        webhook.stop(0);
    }

    @Test
    void the_row_that_readme_inserts_arrives_by_the_route_that_readme_adds_to_a_running_relay() throws Exception {
        DocsPage readme = DocsPage.read("README.md");
        var database = TestOutbox.create();
        Files.writeString(
                routes.resolve("order-webhook.camel.yaml"),
                readme.blocks("yaml").get(0));

        Posted arrived;
        try (var relay = Relay.start(settings(database))) {
            awaitOwner(database, "docs-relay");
            database.execute(readme.blocks("sql").get(0));
            arrived = posted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        }

        assertThat(arrived).isNotNull();
        assertThat(arrived.body()).isEqualTo("{\"orderId\": \"42\", \"total\": \"84.50\"}");
        assertThat(arrived.headers())
                .containsEntry("type", "order.placed")
                .containsEntry("aggregate-type", "order")
                .containsEntry("aggregate-id", "42")
                .containsEntry("content-type", "application/json")
                .containsKey("created-at");
        assertThat(UUID.fromString(arrived.headers().get("id")))
                .hasToString(database.text("select message_id from outbox"));
        assertThat(arrived.headers().keySet()).noneMatch(name -> name.startsWith("kafka"));
        assertThat(posted).isEmpty();
    }

    @Test
    void the_grants_in_the_pages_are_all_that_a_relay_needs() throws SQLException {
        var database = TestOutbox.create();
        String grants = DocsPage.read("docs/configuration.md")
                .blocksBelow("## Database roles")
                .get(0)
                .content();

        database.execute("create role docs_relay login password 'secret'");
        database.execute(grants.replace(" to relay;", " to docs_relay;"));

        assertThat(new SchemaCheck(database.unpooledAs("docs_relay", "secret")).problems())
                .isEmpty();
    }

    @Test
    void the_roles_of_the_installation_are_enough_to_create_the_tables_and_to_run_a_relay() throws SQLException {
        var database = TestOutbox.withoutTables();
        String roles = DocsPage.read("docs/install.md").blocks("sql").get(0);

        database.execute(roles);
        new Schema(database.unpooledAs("caravan_owner", "change-me-1")).apply();

        assertThat(new SchemaCheck(database.unpooledAs("caravan_relay", "change-me-2")).problems())
                .isEmpty();
    }

    private Settings settings(TestOutbox database) {
        Map<String, String> settings = new HashMap<>(DocsPage.read("README.md").properties());
        settings.put(
                "order-webhook.url", "http://localhost:" + webhook.getAddress().getPort() + "/hooks/orders");
        settings.putAll(database.connection());
        settings.put("caravan.routes", routes.toString());
        settings.put("camel.component.outbox.relay", "docs-relay");
        settings.put("camel.management.enabled", "false");
        return Settings.load(Path.of("application.properties"), settings);
    }

    /** The route of README starts with what is committed after it: it must have started before a message is inserted. */
    private static void awaitOwner(TestOutbox database, String relay) throws Exception {
        String owned = "select count(*) from outbox_subscription where owner = '" + relay + "'";
        eventually(Duration.ofSeconds(LIMIT_SECONDS), () -> assertThat(database.number(owned))
                .isEqualTo(1));
    }

    private void receive(HttpExchange request) throws IOException {
        Map<String, String> headers = new HashMap<>();
        request.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(), values.get(0)));
        String body = new String(request.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        request.sendResponseHeaders(204, -1);
        request.close();
        posted.add(new Posted(headers, body));
    }
}
