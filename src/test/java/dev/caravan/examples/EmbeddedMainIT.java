package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code embedded-main}, which creates the tables itself. */
@Tag("long")
class EmbeddedMainIT {
    @TempDir
    private Path workspace;

    @Test
    void a_message_is_delivered_with_the_commands_of_the_page() throws Exception {
        TestKafka.create("orders", 1);
        try (var example = new Example("embedded-main", workspace)) {
            example.databaseOfApplication("DB_URL", "DB_USER", "DB_PASSWORD");
            example.givenToApplication("KAFKA_BROKERS", TestKafka.brokers());
            example.follow("## Run");
            example.application().awaitLog("(delivery) started");

            String printed = example.follow("## Publish a message");

            assertThat(printed).contains("orders");
            String messageId = example.jdbc().queryForObject("select message_id::text from outbox", String.class);
            eventually(() -> assertThat(Records.ids("orders")).contains(messageId));
            example.application().terminate();
            assertThat(example.number("select count(*) from outbox_subscription where owner is not null"))
                    .as("leases that the stopped application holds")
                    .isZero();
        }
    }
}
