package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox.Waiting;
import dev.caravan.database.Database;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps {@code sql:} with a data source of the user. */
class SqlStepsIT {
    private final WrittenLog log = WrittenLog.of(AttemptLog.class);
    private final TestOutbox outbox = TestOutbox.create();
    private final List<Object> arrived = new CopyOnWriteArrayList<>();

    private void start(DataSource database, String step) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("shop", DataSource.class, database);
            routes.from("outbox:orders")
                    .to(step)
                    .process(exchange -> arrived.add(exchange.getMessage().getBody()));
        });
    }

    @Test
    void a_query_that_returns_more_rows_than_the_memory_holds_is_a_failed_attempt() throws Exception {
        long most = Runtime.getRuntime().maxMemory() / 10 / 1_024;
        start(
                outbox.unpooled(),
                "sql:select null::int as n from generate_series(1, " + (most + 1) + ")?dataSource=#shop");
        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.waiting("orders")).containsExactly(new Waiting(id, false, 1)));
        assertThat(outbox.text("select error_text from outbox_retry")).contains("returns more than " + most + " rows");
        assertThat(arrived).isEmpty();
    }

    /** As Spring Boot's pool with {@code auto-commit=false}. It rolls back what is not committed when a connection is released. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql:insert into written values (:#${header.aggregate-id})?dataSource=#shop",
                "sql:insert into written values (:#${header.aggregate-id})?dataSource=#shop&batch=true",
                "sql-stored:written(VARCHAR ${header.aggregate-id})?dataSource=#shop"
            })
    void what_a_statement_writes_is_committed_without_autocommit_too(String step) throws Exception {
        outbox.execute("create table written (key text primary key deferrable initially deferred)");
        outbox.execute(
                "create function written(key text) returns void language sql as 'insert into written values (key)'");
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(outbox.unpooled());
            pool.setAutoCommit(false);
            start(pool, step);
            outbox.awaitPassed("orders", outbox.insert("a"));
            long refused = outbox.insert("a"); // at the commit

            eventually(() -> assertThat(outbox.waiting("orders")).containsExactly(new Waiting(refused, false, 1)));
            assertThat(outbox.number("select count(*) from written")).isOne();
            assertThat(arrived).hasSize(1);
        }
    }

    /** Nothing was sent, and each attempt of a long outage would count. */
    @ParameterizedTest
    @ValueSource(strings = {"too many connections", "no such database"})
    void a_database_that_refuses_a_connection_is_an_unavailable_destination(String reason) throws Exception {
        outbox.execute("create role \"" + outbox.database() + "\" login password 'right' connection limit 0");
        DataSource database = reason.equals("too many connections")
                ? outbox.unpooledAs(outbox.database(), "right")
                : Database.unpooled(outbox.url() + "_missing", "postgres", "any");
        start(database, "sql:select 1?dataSource=#shop");
        outbox.insert("a");

        eventually(() -> assertThat(outbox.number(
                        "select count(*) from outbox_subscription where destination_unavailable_since is not null"))
                .isOne());
        assertThat(outbox.waiting("orders")).allMatch(message -> message.attempts() == 0);
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into person (name, age) values (:#${body[0][name]}, -1)?dataSource=#shop",
                "insert into person (name, age) values (:#name, -1)?batch=true&dataSource=#shop",
                "select complain()?dataSource=#shop"
            })
    void what_the_database_quotes_of_a_row_is_neither_stored_nor_logged(String statement) throws Exception {
        outbox.execute("create table person (name text unique, age int check (age > 0))");
        outbox.execute("create function complain() returns void language plpgsql as $$ begin raise exception 'no'"
                + " using detail = 'The name is Anna Confidential'; end $$");
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("shop", DataSource.class, outbox.unpooled());
            routes.from("outbox:orders?maxAttempts=1")
                    .process(exchange -> exchange.getMessage().setBody(List.of(Map.of("name", "Anna Confidential"))))
                    .to("sql:" + statement);
        });
        long id = outbox.insert("a");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(id));
        assertThat(outbox.text("select to_json(d)::text from outbox_dead_letter d"))
                .contains("ERROR")
                .doesNotContain("Confidential");
        assertThat(String.join("\n", log.lines())).doesNotContain("Confidential");
    }
}
