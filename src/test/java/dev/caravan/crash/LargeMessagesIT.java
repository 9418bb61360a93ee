package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 300 MB through a heap of 256 MB. */
@Tag("long")
class LargeMessagesIT {
    private static final int MESSAGES = 300;
    private static final int BYTES = 1_000_000;
    /** Fifty keys in turn. Compressed by Postgres, so that they take little disk space there. */
    private static final String WRITE = """
            insert into outbox (aggregate_type, aggregate_id, type, payload)
            select 'document', 'k' || n %% 50, 'document.stored',
                   ('{"sequence":' || n / 50 + 1 || ',"text":"' || repeat('x', %d) || '"}')::json
            from generate_series(0, %d) n order by n
            """;

    @Test
    void messages_of_a_megabyte_are_delivered_once_by_a_small_heap(@TempDir Path routes) throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), Duration.ofSeconds(10))) {
            stage.outbox().execute(WRITE.formatted(BYTES, MESSAGES - 1));

            RelayProcess relay = stage.startRelay("large");
            Duration took = Await.until(
                    "all is acknowledged or the relay is gone",
                    Duration.ofSeconds(300),
                    () -> !relay.isAlive() || stage.isDrained());

            assertThat(relay.isAlive()).as(relay.log()).isTrue();
            assertThat(relay.log()).doesNotContain("OutOfMemoryError");
            assertThat(stage.received().all()).hasSize(MESSAGES).allMatch(arrival -> arrival.bytes() > BYTES);
            stage.awaitComplete().nothingIsRepeated();
            System.out.printf("Large messages: %d of %d bytes in %d s%n", MESSAGES, BYTES, took.toSeconds());
        }
    }

    @Test
    @Tag("long")
    void a_message_of_150_megabytes_is_dead_and_the_relay_with_a_small_heap_delivers_the_others(@TempDir Path routes)
            throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), Duration.ofSeconds(10))) {
            stage.outbox().execute(WRITE.formatted(150_000_000, 0));
            stage.outbox().execute(WRITE.formatted(10, 19));

            RelayProcess relay = stage.startRelay("large");
            Await.until(
                    "the others arrive or the relay is gone",
                    Duration.ofSeconds(120),
                    () -> !relay.isAlive() || stage.received().all().size() == 20 && stage.isDrained());

            assertThat(relay.isAlive()).as(relay.log()).isTrue();
            assertThat(stage.outbox().text("select error_text from outbox_dead_letter"))
                    .contains("bytes, more than maxMessageBytes (16777216), and was not read");
        }
    }
}
