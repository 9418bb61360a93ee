package dev.caravan.test;

import static dev.caravan.routes.destination.Answer.OK;
import static dev.caravan.routes.destination.Answer.status;
import static dev.caravan.test.TestMessage.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.publisher.Message;
import dev.caravan.publisher.Outbox;
import dev.caravan.routes.destination.SqlSent;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Routes whose statements and message ids are in a real database, which an application has written to. */
class RouteTestDatabaseIT {
    private DataSource database;
    private JdbcTemplate jdbc;
    private RouteTest routes;

    @BeforeEach
    void start() throws SQLException {
        database = TestPostgres.server().dataSource(TestPostgres.databaseWithTables());
        TestDatabase.createTables(database);
        jdbc = new JdbcTemplate(database);
        jdbc.execute("create table ledger (id uuid primary key, total numeric check (total > 0))");
        routes = RouteTest.of(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from("outbox:ledger?types=placed")
                                .routeId("ledger")
                                .to(
                                        "sql:insert into ledger values (:#${header.id}::uuid, :#${body}::numeric)?dataSource=#dataSource")
                                .to("http://partner.example.com/in");
                        from("outbox:batch?types=batch")
                                .routeId("batch")
                                .setBody(jsonpath("$"))
                                .to(
                                        "sql:insert into ledger values (gen_random_uuid(), #)?dataSource=#dataSource&batch=true")
                                .to("sql:delete from ledger?dataSource=#dataSource");
                        from("outbox:once?types=once")
                                .routeId("once")
                                .idempotentConsumer(header("id"))
                                .idempotentRepository("messageIds")
                                .eager(false)
                                .to("outbox:more?type=appended&aggregateType=a&aggregateId=1")
                                .to("http://partner.example.com/in");
                    }
                })
                .database(database)
                .build();
    }

    @AfterEach
    void stop() {
        routes.close();
    }

    @Test
    void statements_are_executed_and_recorded() {
        TestedMessage placed = routes.send(message("placed").payload("7.50")).assertDelivered();

        assertThat(jdbc.queryForObject("select total::text from ledger where id = ?", String.class, placed.id()))
                .isEqualTo("7.50");
        assertThat(placed.sql().parameters()).contains("7.50");
        routes.send(message("placed").payload("-1")).assertRetried().assertReason("violates check constraint");
    }

    @Test
    void a_batch_is_recorded_as_its_statements_with_what_the_database_answered_for_all() {
        TestedMessage done = routes.send(message("batch").payload("[7,8]")).assertDelivered();

        assertThat(done.sent(SqlSent.class))
                .extracting(SqlSent::parameters)
                .containsExactly(List.of(7), List.of(8), List.of());
        TestedMessage failed =
                routes.send(message("batch").payload("[7,-1]")).assertRetried().assertReason("ledger_total_check");
        assertThat(failed.sent(SqlSent.class)).hasSize(2);
    }

    @Test
    void message_ids_are_in_the_database() {
        TestMessage once = message("once").payload("1");
        routes.answer(status(500), OK);

        TestedMessage first = routes.send(once).assertRetried();
        assertThat(ids()).isEmpty();
        routes.retry();

        first.assertDelivered();
        assertThat(ids()).containsExactly(once.id().toString());
        routes.send(once).assertRepeat();
        assertThat(jdbc.queryForObject(
                        "select count(distinct message_id) from outbox where type = 'appended'", Integer.class))
                .isEqualTo(1);
    }

    private List<String> ids() {
        return jdbc.queryForList("select messageid from outbox_idempotent", String.class);
    }

    @Test
    void what_an_application_has_committed_is_delivered() throws SQLException {
        routes.send(message("placed").payload("1"));
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            Outbox.onSearchPath().publish(connection, Message.of("order", "7", "placed", "2.50"));
            assertThat(routes.sendFromOutbox()).isEmpty();
            connection.commit();
        }

        List<TestedMessage> sent = routes.sendFromOutbox();

        assertThat(sent).hasSize(1);
        assertThat(sent.get(0).assertDelivered().http().text()).isEqualTo("2.50");
        assertThat(routes.sendFromOutbox()).isEmpty();
    }

    @Test
    @Tag("long")
    void an_embedded_server_has_the_tables() {
        try (TestDatabase embedded = TestDatabase.start()) {
            assertThat(new JdbcTemplate(embedded.dataSource())
                            .queryForObject("select count(*) from outbox", Integer.class))
                    .isZero();
        }
    }

    @Test
    @Tag("long")
    void a_server_that_does_not_start_is_reported_with_the_reason() {
        EmbeddedPostgres.Builder server = EmbeddedPostgres.builder().setPgBinaryResolver((system, machine) -> null);

        assertThatThrownBy(() -> TestDatabase.start(server))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Could not start Postgres: No Postgres binary");
    }

    @Test
    @Tag("long")
    void a_database_without_the_tables_is_reported() throws SQLException {
        DataSource unreachable = TestPostgres.server().dataSource("no_such_database");

        assertThatThrownBy(() -> TestDatabase.createTables(unreachable))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no_such_database");
    }
}
