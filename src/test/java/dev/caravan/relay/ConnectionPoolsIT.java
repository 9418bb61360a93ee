package dev.caravan.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.outbox.OutboxComponent;
import dev.caravan.outbox.TestOutbox;
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

    @Test
    void the_limits_follow_the_lanes_of_the_running_routes(@TempDir Path routes) throws Exception {
        Files.writeString(routes.resolve("one.camel.yaml"), ROUTE.formatted("one", 1, 30));
        Files.writeString(routes.resolve("many.camel.yaml"), ROUTE.formatted("many", 12, 80));
        try (TestOutbox database = TestOutbox.create();
                Relay relay = Relay.start(database.settingsWithRoutes(routes, Map.of()))) {
            var outbox = (HikariDataSource) relay.context()
                    .getComponent("outbox", OutboxComponent.class)
                    .getDataSource();
            var ofRoutes = relay.context().getRegistry().lookupByNameAndType("dataSource", HikariDataSource.class);

            assertThat(outbox.getMaximumPoolSize()).isEqualTo(26);
            assertThat(ofRoutes.getMaximumPoolSize()).isEqualTo(50);

            relay.context().getRouteController().stopRoute("many");

            assertThat(outbox.getMaximumPoolSize()).isEqualTo(10);
            assertThat(ofRoutes.getMaximumPoolSize()).isEqualTo(30);
        }
    }
}
