package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestMariaDb;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.MariaDbServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The example {@code go-outbox/mariadb}: rows of a table in MariaDB, which the application writes as before. */
class GoOutboxInMariaDbIT {
    private static final int WRITERS = 4;
    private static final int ORDERS = 3;
    private static final int OF_EACH_WRITER = 30;

    @TempDir
    private Path workspace;

    private final ExecutorService application = Executors.newFixedThreadPool(WRITERS);

    @AfterEach
    void end() {
        application.shutdownNow();
    }

    @Test
    void each_row_is_sent_once_in_order_per_key_and_marked_while_the_application_writes() throws Exception {
        MariaDbServer mariaDb = TestMariaDb.server();
        String database = mariaDb.createDatabase();
        DataSource shop = new DriverManagerDataSource(
                mariaDb.url(database) + "?allowMultiQueries=true", mariaDb.user(), mariaDb.password());
        JdbcTemplate jdbc = new JdbcTemplate(shop);
        try (var kafka = KafkaBroker.start();
                var example = new Example("go-outbox/mariadb", workspace)) {
            example.databaseOfApplication(shop);
            example.given("SHOP_URL", mariaDb.url(database) + "?connectTimeout=5000&socketTimeout=60000");
            example.given("MAIN_BROKERS", kafka.bootstrapServers());
            example.given("BILLING_BROKERS", kafka.bootstrapServers());
            jdbc.execute(Files.readString(Path.of("examples/go-outbox/mariadb/schema.sql")));
            IntStream.rangeClosed(1, ORDERS).forEach(order -> jdbc.update("insert into orders values (?, 0)", order));
            jdbc.update("insert into outbox (id, broker, topic, `key`, body, locked_by, locked_on)"
                    + " values (uuid(), 'main', 'orders', '1', '{}', 'dispatcher', now())");
            example.follow("## The table");

            Files.createDirectory(workspace.resolve("my-relay"));
            example.caravan("schema", "apply"); // the Postgres of the tests stands in for the embedded one
            assertThat(example.follow("## Prepare")).contains("shop");
            jdbc.update("update outbox set state = 1, locked_by = null, processed_on = now()"); // the last of the
            // dispatcher
            List<Future<?>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                writers.add(application.submit(() -> write(shop)));
            }
            assertThat(example.follow("## Switch")).contains("No problems found");
            jdbc.update("insert into outbox (id, broker, topic, `key`, body)"
                    + " values (uuid(), 'billing', 'invoices', '7', '{}'), (uuid(), 'main', 'payroll', '8', '{}'),"
                    + " (uuid(), 'main', 'shipments', ' ', '{}')");
            for (Future<?> writer : writers) {
                writer.get();
            }

            int all = WRITERS * OF_EACH_WRITER;
            Map<String, List<String>> shipments = Records.of(kafka.bootstrapServers(), "shipments", all).stream()
                    .collect(Collectors.groupingBy(
                            Records.Received::key, Collectors.mapping(Records.Received::value, Collectors.toList())));
            assertThat(shipments).hasSize(ORDERS);
            shipments.forEach((order, values) -> assertThat(values)
                    .as("messages of order %s", order)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, values.size())
                            .mapToObj(n -> "{\"n\": " + n + "}")
                            .toList()));
            assertThat(shipments.values().stream().mapToInt(List::size).sum()).isEqualTo(all);
            assertThat(Records.of(kafka.bootstrapServers(), "invoices", 1))
                    .singleElement()
                    .extracting(record -> record.headers().get("id"))
                    .isEqualTo(jdbc.queryForObject("select id from outbox where broker = 'billing'", String.class));
            eventually(() -> assertThat(jdbc.queryForObject(
                            "select count(*) from outbox where state = 0 or processed_on is null", Long.class))
                    .isZero());
            eventually(() -> assertThat(example.number("select count(*) from outbox_dead_letter"))
                    .isEqualTo(2));
            assertThat(example.follow("## What is better now"))
                    .contains("shop", "main-cluster", "order/8", "intake:shop");
        }
    }

    /** Each message has the number of its order, which the transaction locks. Some transactions are rolled back. */
    private static Void write(DataSource shop) throws Exception {
        for (int n = 0; n < OF_EACH_WRITER; n++) {
            int order = n % ORDERS + 1;
            try (Connection connection = shop.getConnection();
                    var statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                if (n % 5 == 0) {
                    publish(statement, order);
                    connection.rollback();
                }
                publish(statement, order);
                connection.commit();
            }
        }
        return null;
    }

    private static void publish(Statement statement, int order) throws Exception {
        statement.executeUpdate("update orders set total = total + 1 where id = " + order);
        statement.executeUpdate("insert into outbox (id, broker, topic, `key`, body) select '" + UUID.randomUUID()
                + "', 'main', 'shipments', id," + " json_object('n', cast(total as signed)) from orders where id = "
                + order);
    }
}
