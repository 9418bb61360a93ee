package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.adopt.capture.Captures;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The route and the capture of docs/capture.md that set a flag which other code reads. */
class WriteBackIT {
    @TempDir
    private Path folder;

    @Test
    void a_delivered_row_is_marked_and_its_mark_is_no_message() throws Exception {
        try (TestOutbox database = TestOutbox.create()) {
            database.execute(
                    "create schema shop; create table shop.email_outbox (id bigint primary key, recipient text, subject text,"
                            + " sent boolean not null default false)");
            String page = Files.readString(Path.of("docs/capture.md"));
            String[] yaml = page.substring(page.indexOf("## Where other code reads a flag"))
                    .split("```(?:yml)?\n");
            Path routes = Files.createDirectory(folder.resolve("routes"));
            Files.writeString(routes.resolve("email.camel.yaml"), yaml[1].replace("smtp:localhost", "log:email"));
            new Captures(database.dataSource())
                    .apply(List.of(Files.writeString(folder.resolve("emails.yaml"), yaml[3])));
            try (Relay relay =
                    Relay.start(database.settingsWithRoutes(routes, Map.of("camel.management.enabled", "false")))) {
                database.execute(
                        "insert into shop.email_outbox values (1, 'a@example.com', 'x'), (2, 'b@example.com', 'y')");
                eventually(() -> assertThat(database.number("select count(*) from shop.email_outbox where sent"))
                        .isEqualTo(2));

                database.execute("update shop.email_outbox set subject = 'z' where id = 2");
                eventually(() -> assertThat(database.number("select sum(delivered) from outbox_subscription"))
                        .isEqualTo(3));
            }
            assertThat(database.jdbc()
                            .queryForList("select type || ' ' || aggregate_id from outbox order by id", String.class))
                    .containsExactly("email.added 1", "email.added 2", "email.changed 2");
        }
    }
}
