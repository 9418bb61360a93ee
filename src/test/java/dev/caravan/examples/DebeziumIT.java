package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.PostgresServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example {@code debezium}; the slot is read with Debezium's plug-in of Postgres. Starts a server with logical decoding. */
@Tag("long")
class DebeziumIT {
    private static final Path FOLDER = Path.of("examples/debezium");
    private static final String ORDER = "outbox.event.Order";
    private static final String PAYLOAD = "{\"total\": 84.50, \"orderId\": \"42\"}";
    /** Inserted rows that a connector would read, oldest first. */
    private static final String READ_BY_DEBEZIUM =
            "select count(*) from pg_logical_slot_get_binary_changes('debezium', null, null,"
                    + " 'proto_version', '1', 'publication_names', 'dbz_publication') where get_byte(data, 0) = ascii('I')";

    @TempDir
    private Path workspace;

    @Test
    void each_row_is_sent_once_by_debezium_or_by_caravan_and_caravans_records_are_those_of_the_event_router()
            throws Exception {
        try (var server = PostgresServer.startWithLogicalDecoding();
                var example = new Example("debezium", workspace, server)) {
            example.execute(FOLDER.resolve("schema.sql"));
            example.execute("select pg_create_logical_replication_slot('debezium', 'pgoutput')");
            assertThat(example.follow("## Prepare")).contains("No problems found");
            var application = new Application(example);
            application.start(2);
            application.await(50);

            assertThat(example.follow("## Hand over")).contains("event-router");
            application.await(50);
            int committed = application.stop();

            UUID order = UUID.randomUUID();
            insert(example, order, "Order", "42", "'" + PAYLOAD + "'");
            insert(example, UUID.randomUUID(), "Order", "42", "null");
            int captured = example.jdbc().queryForObject("select count(*) from caravan.outbox", Integer.class);
            List<Records.Received> writers = Records.of(TestKafka.brokers(), "outbox.event.Load", captured - 2);

            AtomicInteger old = new AtomicInteger();
            // a commit can be read when it is on disk, which this server does not wait for
            eventually(() -> assertThat(old.addAndGet(example.jdbc().queryForObject(READ_BY_DEBEZIUM, Integer.class)))
                    .isEqualTo(committed - writers.size()));

            assertThat(old).hasPositiveValue();
            assertThat(writers).isNotEmpty();
            assertThat(writers).hasSize(captured - 2).doesNotHaveDuplicates();
            List<Records.Received> orders = Records.of(TestKafka.brokers(), ORDER, 2);
            assertThat(orders.get(0)).isEqualTo(new Records.Received("42", PAYLOAD, Map.of("id", order.toString())));
            assertThat(orders.get(1).value()).isNull();
            assertThat(orders.get(1).key()).isEqualTo("42");

            example.follow("## Go back");
            insert(example, UUID.randomUUID(), "Order", "43", "null");
            eventually(() -> assertThat(example.jdbc().queryForObject(READ_BY_DEBEZIUM, Integer.class))
                    .isOne());
            assertThat(example.jdbc().queryForObject("select count(*) from caravan.outbox", Integer.class))
                    .isEqualTo(captured);
        }
    }

    /** As applications of Debezium do. */
    private static void insert(Example example, UUID id, String type, String aggregate, String payload)
            throws Exception {
        example.execute("insert into outbox values ('" + id + "', '" + type + "', '" + aggregate + "', 'placed', "
                + payload + "); delete from outbox where id = '" + id + "'");
    }

    /** Writers that do not stop while the table is handed over. */
    private static final class Application {
        private final Example example;
        private final List<Thread> writers = new ArrayList<>();
        private final List<UUID> committed = new CopyOnWriteArrayList<>();
        private final List<Exception> failed = new CopyOnWriteArrayList<>();
        private final AtomicBoolean ended = new AtomicBoolean();

        Application(Example example) {
            this.example = example;
        }

        void start(int number) {
            for (int i = 0; i < number; i++) {
                String aggregate = "writer-" + i;
                writers.add(new Thread(() -> write(aggregate)));
            }
            writers.forEach(Thread::start);
        }

        private void write(String aggregate) {
            try {
                while (!ended.get()) {
                    UUID id = UUID.randomUUID();
                    insert(example, id, "Load", aggregate, "'{}'");
                    committed.add(id);
                }
            } catch (Exception e) {
                failed.add(e);
            }
        }

        void await(int more) throws Exception {
            int goal = committed.size() + more;
            eventually(() -> assertThat(committed).hasSizeGreaterThanOrEqualTo(goal));
        }

        int stop() throws InterruptedException {
            ended.set(true);
            for (Thread each : writers) {
                each.join();
            }
            assertThat(failed).isEmpty();
            return committed.size();
        }
    }
}
