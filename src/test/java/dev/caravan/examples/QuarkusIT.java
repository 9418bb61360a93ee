package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.FreePorts;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code quarkus}. */
@Tag("long")
class QuarkusIT {
    @TempDir
    private Path workspace;

    @Test
    void an_order_is_placed_and_delivered_with_the_commands_of_the_page() throws Exception {
        TestKafka.create("orders", 1);
        int port = FreePorts.one();
        try (var example = new Example("quarkus", workspace)) {
            example.databaseOfApplication(
                    "QUARKUS_DATASOURCE_JDBC_URL", "QUARKUS_DATASOURCE_USERNAME", "QUARKUS_DATASOURCE_PASSWORD");
            example.givenToApplication("QUARKUS_HTTP_PORT", Integer.toString(port));
            example.replace("localhost:8080", "localhost:" + port);
            example.follow("## Run");
            example.application().awaitLog("Listening on");

            String printed = example.follow("## Place an order");

            String messageId = example.jdbc().queryForObject("select message_id::text from outbox", String.class);
            assertThat(printed).contains(messageId, "caravan_");
            eventually(() -> assertThat(Records.ids("orders")).contains(messageId));
            example.application().terminate();
            assertThat(example.number("select count(*) from outbox_subscription where owner is not null"))
                    .as("leases that the stopped application holds")
                    .isZero();
        }
    }
}
