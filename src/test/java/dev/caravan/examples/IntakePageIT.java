package dev.caravan.examples;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.caravan.TestMariaDb;
import dev.caravan.TestPostgres;
import dev.caravan.docs.DocsPage;
import dev.caravan.lab.servers.KafkaBroker;
import dev.caravan.lab.servers.MariaDbServer;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The first message of docs/intake.md: from a table in MariaDB to Kafka, with the commands of the page. */
class IntakePageIT {
    @TempDir
    private Path workspace;

    private final MariaDbServer mariaDb = TestMariaDb.server();
    private final String database = create(mariaDb);
    private final DataSource shop = new DriverManagerDataSource(
            mariaDb.url(database) + "?allowMultiQueries=true", mariaDb.user(), mariaDb.password());
    private final JdbcTemplate jdbc = new JdbcTemplate(shop);

    private static String create(MariaDbServer server) {
        try {
            return server.createDatabase();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_commands_of_the_page_bring_the_rows_of_a_table_in_mariadb_to_kafka() throws Exception {
        createTable();
        insert("{\"n\":1}");
        try (var kafka = KafkaBroker.start();
                var example = example(kafka)) {
            example.follow("### 2. The database of the table");
            assertThat(example.follow("### 3. The file of the intake")).contains("Wrote", "ends pending");
            example.follow("### 4. The route");
            assertThat(example.follow("### 5. Run")).contains("No problems found", "shop");
            insert("{\"n\":2}");

            assertThat(Records.of(kafka.bootstrapServers(), "orders", 2))
                    .extracting(Records.Received::key, Records.Received::value)
                    .containsExactly(tuple("42", "{\"n\":1}"), tuple("42", "{\"n\":2}"));
            eventually(() -> assertThat(jdbc.queryForObject("select count(*) from outbox where state = 1", Long.class))
                    .isEqualTo(2));
        }
    }

    @Test
    @Tag("long")
    void the_new_table_of_the_page_is_emptied_when_its_rows_are_copied() throws Exception {
        try (var kafka = KafkaBroker.start();
                var example = example(kafka)) {
            example.follow("## A new table");
            example.follow("### 2. The database of the table");
            jdbc.execute("grant delete on outbox to caravan@'%'");
            insert("{\"n\":1}");
            String id = jdbc.queryForObject("select message_id from outbox", String.class);
            example.caravan("intake", "check", "--try-mark");
            example.follow("### 4. The route");
            example.follow("### 5. Run");

            assertThat(Records.of(kafka.bootstrapServers(), "orders", 1))
                    .singleElement()
                    .satisfies(record -> assertThat(record.headers()).containsEntry("id", id));
            eventually(() -> assertThat(jdbc.queryForObject("select count(*) from outbox", Long.class))
                    .isZero());
        }
    }

    @Test
    void the_file_is_checked_before_the_postgres_of_the_relay_has_ever_run() throws Exception {
        createTable();
        try (var example = new Example(DocsPage.read("docs/intake.md"), workspace, TestPostgres.server())) {
            example.databaseOfApplication(shop);
            example.given("SHOP_URL", mariaDb.url(database));
            example.given(
                    "CARAVAN_DB_URL",
                    "embedded:" + workspace.resolve("postgres").toAbsolutePath());
            example.given("CARAVAN_DB_PASSWORD", "");
            example.given("CARAVAN_ROUTES", workspace.resolve("my-relay/routes").toString());
            example.follow("### 2. The database of the table");

            assertThat(example.follow("### 3. The file of the intake"))
                    .contains("no row is pending", "does not run, so its tables were not checked", "No problems found");
        }
    }

    private void createTable() {
        jdbc.execute("create table outbox (id bigint auto_increment primary key, aggregate_type varchar(50) not null,"
                + " aggregate_id varchar(50) not null, type varchar(50) not null, payload json not null,"
                + " state int not null default 0, created_at datetime not null default now(), processed_at datetime)");
    }

    private Example example(KafkaBroker kafka) throws Exception {
        var example = new Example(DocsPage.read("docs/intake.md"), workspace, TestPostgres.server());
        example.databaseOfApplication(shop);
        example.given("SHOP_URL", mariaDb.url(database));
        example.given("CAMEL_COMPONENT_KAFKA_BROKERS", kafka.bootstrapServers());
        example.given("CARAVAN_ROUTES", workspace.resolve("my-relay/routes").toString());
        example.given("SHOP_PASSWORD", "change-me");
        example.caravan("schema", "apply"); // the Postgres of the tests stands in for the embedded one
        return example;
    }

    private void insert(String payload) {
        jdbc.update(
                "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '42', 'order.placed', ?)",
                payload);
    }
}
