package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionPoolsIT {
    private static final String ROUTE = """
            - route:
                id: %1$s
                from:
                  uri: outbox:%1$s?lanes=%2$d&concurrency=%3$d
                  steps:
                    - log: {message: x}
            """;

    /** The pool opens them one by one, here one in more than a second, and a lane waits for one second. */
    @Test
    void many_subscriptions_that_start_together_wait_for_connections_without_a_warning(@TempDir Path routes)
            throws Exception {
        int subscriptions = 6;
        for (int n = 1; n <= subscriptions; n++) {
            Files.writeString(routes.resolve("s" + n + ".camel.yaml"), ROUTE.formatted("s" + n, 1, 1));
        }
        try (WrittenLog warnings = WrittenLog.warnings();
                TestOutbox database = TestOutbox.create();
                Relay relay = Relay.start(database.settingsWithRoutes(
                        routes,
                        Map.of(
                                "caravan.db.url",
                                database.url() + "?connectTimeout=1&options=-c%20post_auth_delay=1")))) {
            eventually(() -> assertThat(
                            database.number("select count(*) from outbox_subscription where lease_until > now()"))
                    .isEqualTo(subscriptions));

            assertThat(relay.context().getRoutes()).hasSize(subscriptions + 1); // dead-letter is built in
            assertThat(warnings.lines()).isEmpty();
        }
    }

    @Test
    void the_connections_of_routes_follow_the_running_routes(@TempDir Path routes) throws Exception {
        Files.writeString(routes.resolve("one.camel.yaml"), ROUTE.formatted("one", 1, 30));
        Files.writeString(routes.resolve("many.camel.yaml"), ROUTE.formatted("many", 12, 80));
        try (TestOutbox database = TestOutbox.create();
                Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of()))) {
            var ofRoutes = relay.context().getRegistry().lookupByNameAndType("dataSource", HikariDataSource.class);

            assertThat(ofRoutes.getMaximumPoolSize()).isEqualTo(50);

            relay.context().getRouteController().stopRoute("many");

            assertThat(ofRoutes.getMaximumPoolSize()).isEqualTo(30);
        }
    }
}
