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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The first message of docs/intake.md: from a table in MariaDB to Kafka, with the commands of the page. */
class IntakePageIT {
    @TempDir
    private Path workspace;

    @Test
    void the_commands_of_the_page_bring_the_rows_of_a_table_in_mariadb_to_kafka() throws Exception {
        MariaDbServer mariaDb = TestMariaDb.server();
        String database = mariaDb.createDatabase();
        var shop = new DriverManagerDataSource(
                mariaDb.url(database) + "?allowMultiQueries=true", mariaDb.user(), mariaDb.password());
        JdbcTemplate jdbc = new JdbcTemplate(shop);
        jdbc.execute("create table outbox (id bigint auto_increment primary key, aggregate_type varchar(50) not null,"
                + " aggregate_id varchar(50) not null, type varchar(50) not null, payload json not null,"
                + " state int not null default 0, created_at datetime not null default now(), processed_at datetime)");
        insert(jdbc, "{\"n\":1}");
        try (var kafka = KafkaBroker.start();
                var example = new Example(DocsPage.read("docs/intake.md"), workspace, TestPostgres.server())) {
            example.databaseOfApplication(shop);
            example.given("SHOP_URL", mariaDb.url(database));
            example.given("CAMEL_COMPONENT_KAFKA_BROKERS", kafka.bootstrapServers());
            example.caravan("schema", "apply"); // the Postgres of the tests stands in for the embedded one

            example.follow("### 2. The database of the table");
            assertThat(example.follow("### 3. The file of the intake")).contains("Wrote", "ends pending");
            example.follow("### 4. The route");
            assertThat(example.follow("### 5. Run")).contains("No problems found", "shop");
            insert(jdbc, "{\"n\":2}");

            assertThat(Records.of(kafka.bootstrapServers(), "orders", 2))
                    .extracting(Records.Received::key, Records.Received::value)
                    .containsExactly(tuple("42", "{\"n\":1}"), tuple("42", "{\"n\":2}"));
            eventually(() -> assertThat(jdbc.queryForObject("select count(*) from outbox where state = 1", Long.class))
                    .isEqualTo(2));
        }
    }

    private static void insert(JdbcTemplate jdbc, String payload) {
        jdbc.update(
                "insert into outbox (aggregate_type, aggregate_id, type, payload) values ('order', '42', 'order.placed', ?)",
                payload);
    }
}
