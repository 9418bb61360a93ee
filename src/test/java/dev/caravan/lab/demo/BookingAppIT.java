package dev.caravan.lab.demo;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestPostgres;
import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BookingAppIT {
    private static final int MESSAGES = 2_000;

    @Test
    void it_commits_exactly_the_planned_messages_numbered_without_gaps_and_in_id_order_per_booking() throws Exception {
        var run = write(7);

        assertThat(run.sent).hasSize(MESSAGES);
        assertThat(run.app.committed()).isEqualTo(MESSAGES);
        assertThat(run.app.rolledBack()).isPositive();
        Map<String, Long> last = new HashMap<>();
        run.sent.values().forEach(message -> {
            assertThat(message.seq()).isEqualTo(last.getOrDefault(message.key(), 0L) + 1);
            last.put(message.key(), message.seq());
        });
    }

    @Test
    void what_it_expects_at_each_destination_is_what_the_outbox_holds_for_it() throws Exception {
        var run = write(8);

        for (DemoDestination destination : DemoDestination.values()) {
            long inOutbox = run.sent.values().stream()
                    .filter(message -> destination.expects(message.type()))
                    .count();
            assertThat(run.app.expectedAt(destination)).isEqualTo(inOutbox).isPositive();
        }
    }

    @Tag("long")
    @Test
    void the_same_seed_writes_the_same_messages_and_another_seed_others() throws Exception {
        var first = write(9);
        var second = write(9);
        var other = write(10);

        assertThat(second.payloads).isEqualTo(first.payloads);
        assertThat(second.sent.keySet()).isEqualTo(first.sent.keySet());
        assertThat(other.payloads).isNotEqualTo(first.payloads);
        assertThat(other.sent.keySet()).doesNotContainAnyElementsOf(first.sent.keySet());
    }

    private static Run write(long seed) throws Exception {
        DataSource database = TestPostgres.server().dataSource(TestPostgres.databaseWithTables());
        var app = new BookingApp(database, new TransactionPlan(seed, 50, MESSAGES), new EvenPace(0));
        app.start(8);
        eventually(Duration.ofSeconds(60), () -> assertThat(app.finished()).isTrue());
        app.close();
        return new Run(app, SentMessage.readAll(database), payloads(database));
    }

    private static Set<String> payloads(DataSource database) throws SQLException {
        return Set.copyOf(
                Sql.text("select type || ' ' || payload from outbox").query(database, row -> row.getString(1)));
    }

    private record Run(BookingApp app, Map<String, SentMessage> sent, Set<String> payloads) {}
}
