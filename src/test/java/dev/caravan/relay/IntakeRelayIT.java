package dev.caravan.relay;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A relay copies the rows of its intakes and delivers them. */
class IntakeRelayIT {
    private static final String ROUTE = """
            - route:
                id: orders
                from:
                  uri: outbox:orders
                  steps:
                    - process:
                        ref: "#class:dev.caravan.relay.Arrivals"
            """;
    private static final String SHOP = """
            intake: shop
            dataSource: shopDb
            table: shop
            pending: "state = 0"
            mark: "state = 1"
            delay: 5ms
            message:
              aggregateType: "'order'"
              aggregateId: msg_key
              type: topic
              payload: data
            """;

    @TempDir
    private Path folder;

    private final String source = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final TestOutbox database = TestOutbox.create();

    @BeforeEach
    void create() throws Exception {
        Files.createDirectories(folder.resolve("routes"));
        Files.createDirectories(folder.resolve("intakes"));
        Files.writeString(folder.resolve("routes/orders.camel.yaml"), ROUTE);
        source(
                "create table shop (id bigint generated always as identity primary key, msg_key varchar(60), topic varchar(60),"
                        + " data varchar(2000), state int not null default 0)");
    }

    @AfterEach
    void close() throws Exception {
        source("shutdown");
        Arrivals.forget();
    }

    private void source(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(source);
                Statement open = connection.createStatement()) {
            open.execute(statement);
        }
    }

    private Relay start(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "caravan.intakes",
                folder.resolve("intakes").toString(),
                "camel.beans.shopDb",
                "#class:com.zaxxer.hikari.HikariDataSource",
                "camel.beans.shopDb.jdbcUrl",
                source,
                "camel.beans.shopDb.maximumPoolSize",
                "1"));
        settings.putAll(more);
        return Relay.start(database.settingsWithRoutes(folder.resolve("routes"), settings));
    }

    @Test
    void rows_of_another_database_are_delivered() throws Exception {
        Files.writeString(folder.resolve("intakes/shop.yaml"), SHOP);
        try (Relay relay = start(Map.of())) {
            source("insert into shop (msg_key, topic, data) select x, 'order.created', '{}' from system_range(1, 20)");

            eventually(() -> assertThat(Arrivals.at("orders")).hasSize(20));

            assertThat(relay.context().getRoute("intake-shop")).isNotNull();
            assertThat(database.jdbc().queryForObject("select relay from outbox_intake", String.class))
                    .isNotNull();
        }
        assertThat(database.jdbc().queryForObject("select relay from outbox_intake", String.class))
                .isNull();
        assertThat(database.jdbc().queryForObject("select lease_until::text from outbox_intake", String.class))
                .isNull();
    }

    @Test
    void an_intake_with_a_wrong_file_waits_for_a_person_and_the_others_run() throws Exception {
        Files.writeString(folder.resolve("intakes/shop.yaml"), SHOP);
        Files.writeString(folder.resolve("intakes/bad.yaml"), SHOP.replace("pending", "pendin"));
        try (WrittenLog log = WrittenLog.warnings();
                Relay relay = start(Map.of())) {
            source("insert into shop (msg_key, topic, data) values ('1', 'order.created', '{}')");

            eventually(() -> assertThat(Arrivals.at("orders")).hasSize(1));

            assertThat(relay.context().getRoute("intake-bad")).isNull();
            assertThat(log.lines()).anyMatch(line -> line.contains("bad.yaml:4") && line.contains("pendin"));
            assertThat(database.jdbc()
                            .queryForObject(
                                    "select error from outbox_intake where intake = 'bad' and halted", String.class))
                    .contains("bad.yaml:4");
        }
    }

    @Test
    void an_intake_without_its_data_source_is_tried_again_and_does_not_delay_the_others() throws Exception {
        Files.writeString(folder.resolve("intakes/shop.yaml"), SHOP);
        Files.writeString(
                folder.resolve("intakes/other.yaml"),
                SHOP.replace("intake: shop", "intake: other").replace("shopDb", "otherDb"));
        try (Relay relay = start(Map.of())) {
            source("insert into shop (msg_key, topic, data) values ('1', 'order.created', '{}')");

            eventually(() -> assertThat(Arrivals.at("orders")).hasSize(1));
            eventually(() -> assertThat(database.jdbc()
                            .queryForList("select error from outbox_intake where intake = 'other'", String.class))
                    .singleElement()
                    .asString()
                    .contains("there is no data source otherDb"));

            assertThat(relay.context().getStatus().isStarted()).isTrue();
        }
    }

    @Test
    void a_relay_without_intakes_opens_nothing_for_them() throws Exception {
        try (Relay relay = start(Map.of())) {
            Set<String> threads = Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .collect(Collectors.toSet());
            assertThat(threads).noneMatch(name -> name.contains("intake"));
            assertThat(relay.context().getRoutes())
                    .noneMatch(route -> route.getId().startsWith("intake"));
        }
    }
}
