package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code events}. */
class EventsIT {
    private static final String COMMANDS =
            "select name || ' ' || reservation_id from commands order by reservation_id, name";
    private static final String EVENTS = "select type || ' ' || aggregate_id from outbox order by id";

    @TempDir
    private Path workspace;

    @Test
    void each_kind_of_change_is_an_event_and_each_event_leads_to_its_commands_once() throws Exception {
        try (var example = new Example("events", workspace)) {
            example.execute(Path.of("examples/events/schema.sql"));
            example.follow("## Adopt");

            example.execute("insert into reservations select n, 'c' || n, 'open', 2 from generate_series(1, 100) n");
            example.execute("update reservations set status = 'confirmed', seats = 3 where id = 1");
            example.execute("update reservations set seats = seats, customer = 'x' where id = 2");
            example.execute("begin; update reservations set status = 'confirmed'; rollback");
            example.execute("update reservations set status = 'cancelled' where id = 2");

            assertThat(list(example, EVENTS).subList(100, 103))
                    .containsExactly("reservation.confirmed 1", "reservation.resized 1", "reservation.cancelled 2");
            List<String> expected =
                    List.of("charge-card 1", "hold-seats 1", "send-confirmation 1", "free-seats 2", "refund-card 2");
            eventually(() -> assertThat(list(example, COMMANDS)).containsExactlyElementsOf(expected));
            assertThat(Records.of(TestKafka.brokers(), "reservations", 103)).hasSize(103);
            assertThat(list(example, "select type from report")).isEmpty();

            example.follow("## The batch");
            eventually(
                    () -> assertThat(list(example, "select type from report")).hasSize(103));
            assertThat(example.follow("## What is better now")).contains("2 messages");
            eventually(() -> assertThat(list(example, "select id::text from outbox_retry"))
                    .isEmpty());
            assertThat(list(example, COMMANDS)).containsExactlyElementsOf(expected);
        }
    }

    private static List<String> list(Example example, String query) {
        return example.jdbc().queryForList(query, String.class);
    }
}
