package dev.caravan.docs;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestHttp;
import dev.caravan.base.settings.Settings;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.schema.Schema;
import dev.caravan.database.schema.SchemaCheck;
import dev.caravan.relay.Relay;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs what README and the pages tell a new user to run, on a real Postgres and a real HTTP server. */
class FirstMinuteIT {
    private static final long LIMIT_SECONDS = 90;

    private final TestHttp webhook = new TestHttp(204);

    @TempDir
    private Path routes;

    @Test
    void the_row_that_readme_inserts_arrives_by_the_route_that_readme_adds_to_a_running_relay() throws Exception {
        DocsPage readme = DocsPage.read("README.md");
        var database = TestOutbox.create();
        Files.writeString(
                routes.resolve("order-webhook.camel.yaml"),
                readme.blocks("yaml").get(0));

        try (var relay = Relay.start(settings(database))) {
            awaitOwner(database, "docs-relay");
            database.execute(readme.blocks("sql").get(0));
            eventually(() -> assertThat(webhook.requests()).isNotEmpty());
        }

        assertThat(webhook.requests()).hasSize(1);
        TestHttp.Request arrived = webhook.requests().get(0);
        assertThat(arrived.text()).isEqualTo("{\"orderId\": \"42\", \"total\": \"84.50\"}");
        assertThat(arrived.headers())
                .containsEntry("type", "order.placed")
                .containsEntry("aggregate-type", "order")
                .containsEntry("aggregate-id", "42")
                .containsEntry("content-type", "application/json")
                .containsKey("created-at");
        assertThat(UUID.fromString(arrived.header("id"))).hasToString(database.text("select message_id from outbox"));
        assertThat(arrived.headers().keySet())
                .noneMatch(name -> name.toLowerCase().startsWith("kafka"));
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
        settings.put("order-webhook.url", webhook.url() + "/hooks/orders");
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
}
