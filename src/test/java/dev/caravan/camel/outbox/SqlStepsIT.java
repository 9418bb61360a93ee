package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.WrittenLog;
import dev.caravan.camel.outbox.TestOutbox.Waiting;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import java.nio.charset.Charset;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Steps {@code sql:} with a data source of the user. */
class SqlStepsIT {
    private final WrittenLog log = WrittenLog.of(AttemptLog.class);
    private final TestOutbox outbox = TestOutbox.create();
    private final List<Object> arrived = new CopyOnWriteArrayList<>();

    private void start(DataSource database, String step) throws Exception {
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("shop", DataSource.class, database);
            routes.from("outbox:orders")
                    .setBody(exchange -> step.contains("batch=true")
                            ? List.of(exchange.getMessage().getBody())
                            : exchange.getMessage().getBody())
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

    /** The driver of Postgres stored the text \\x7b22… for an answer of JSON. */
    @ParameterizedTest
    @CsvSource({
        "Content-Length: 11,                                               false, false",
        "Connection: close,                                                false, false",
        "Content-Type: text/plain; charset=ISO-8859-1,                     false, false",
        "Content-Length: 11,                                               true,  false",
        "Content-Length: 11,                                               false, true",
        "Connection: close,                                                false, true"
    })
    void an_answer_is_text_for_a_parameter_that_takes_no_bytes(String head, boolean isBatch, boolean isOfRow)
            throws Exception {
        outbox.execute("create table sink (t text, v varchar(20), j jsonb, b bytea, n text)");
        Charset charset = head.contains("8859") ? ISO_8859_1 : UTF_8;
        RawHttp receiver = RawHttp.start((request, out) ->
                out.text(RawHttp.OK + head + "\r\n\r\n").bytes("{\"n\": \"\u00fc\"}".getBytes(charset)));
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("shop", DataSource.class, outbox.unpooled());
            var route = routes.from("outbox:orders");
            if (!isOfRow) {
                route.to(receiver.url());
            }
            if (isBatch) {
                route.setBody(exchange -> List.of(exchange.getMessage().getBody()));
            }
            route.to("sql:insert into sink values (:#${body}, :#${body}, cast(:#${body} as jsonb), :#${body}, :#type)"
                    + "?dataSource=#shop&batch=" + isBatch);
        });
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes)"
                + " values ('order', 'a', 'order.created', convert_to('{\"n\": \"\u00fc\"}', 'UTF8'))");

        outbox.awaitPassed("orders", 1);
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.text("select concat_ws('|', t, v, j, convert_from(b, '"
                        + charset.name().replace("-", "").replace("ISO88591", "LATIN1")
                        + "'), n) from sink"))
                .isEqualTo("{\"n\": \"\u00fc\"}|".repeat(4) + "order.created");
    }

    @Test
    void a_streamed_answer_is_the_text_of_each_parameter_of_a_procedure() throws Exception {
        outbox.execute("create table sink (t text, n bigint)");
        outbox.execute(
                "create function stored(t text, n bigint) returns void language sql as 'insert into sink values (t, n)'");
        RawHttp receiver = RawHttp.answering(RawHttp.OK + "Connection: close\r\n\r\n42");
        TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.getContext().getRegistry().bind("shop", DataSource.class, outbox.unpooled());
            routes.from("outbox:orders")
                    .to(receiver.url())
                    .to("sql-stored:stored(VARCHAR ${body}, BIGINT ${body})?dataSource=#shop");
        });

        outbox.awaitPassed("orders", outbox.insert("a"));
        assertThat(outbox.text("select concat(t, n) from sink")).isEqualTo("4242");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sql:insert into sink values (:#${body})", "sql-stored:stored(VARCHAR ${body})"})
    void bytes_that_are_no_text_are_not_stored_as_one(String step) throws Exception {
        outbox.execute("create table sink (t text)");
        outbox.execute("create function stored(t text) returns void language sql as 'insert into sink values (t)'");
        start(outbox.unpooled(), step + "?dataSource=#shop");
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload_bytes)"
                + " values ('order', 'a', 'order.created', '\\xff00')");

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
        assertThat(outbox.number("select count(*) from sink")).isZero();
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

    /** Otherwise the rows of one subscription would get the schema or the tenant that a message of another one has set. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set search_path to elsewhere; insert into audit values ('a')",
                "with set as (select set_config('app.tenant', 'a', false) as tenant) insert into audit select tenant from set",
                "select hide()",
                "select hide_in_standard_sql()",
                "insert into hooked values ('a')",
                "set role other; insert into elsewhere.audit values ('a')",
                "set session authorization other; insert into elsewhere.audit values ('a')",
                "set default_transaction_isolation = serializable; set statement_timeout = '1h'; set application_name = 'a'",
                "create temp table kept as select 1 as n",
                "prepare kept as select 1",
                "declare kept cursor with hold for select 1",
                "select pg_advisory_lock(7)",
                "listen kept",
            })
    void what_a_statement_leaves_in_its_session_does_not_reach_another_one(String statement) throws Exception {
        outbox.execute("create schema elsewhere");
        outbox.execute("create table elsewhere.audit (tenant text)");
        outbox.execute("create table audit (tenant text)");
        outbox.execute("create role \"" + outbox.database() + "_other\"");
        outbox.execute("grant usage on schema elsewhere to \"" + outbox.database() + "_other\"");
        outbox.execute("grant insert on elsewhere.audit to \"" + outbox.database() + "_other\"");
        if (statement.contains("hide") || statement.contains("hooked")) {
            boolean standard = statement.contains("standard");
            outbox.execute(
                    "create function hide" + (standard ? "_in_standard_sql" : "") + "() returns text language sql "
                            + (standard
                                    ? "return set_config('app.tenant', 'a', false)"
                                    : "as $$ select set_config('app.tenant', 'a', false) $$"));
            outbox.execute("create function hook() returns trigger language plpgsql as"
                    + " $$ begin perform hide(); return new; end $$");
            outbox.execute("create table hooked (tenant text)");
            outbox.execute("create trigger hook before insert on hooked for each row execute function hook()");
        }
        try (HikariDataSource pool = Database.routesPool(outbox.settings(Map.of()))) {
            pool.setMaximumPoolSize(1);
            String before = session(pool);
            start(
                    pool,
                    "sql:" + statement.replace(" other;", " \"" + outbox.database() + "_other\";")
                            + "?dataSource=#shop");
            outbox.awaitPassed("orders", outbox.insert("a"));

            assertThat(outbox.jdbc().queryForList("select error_text from outbox_retry"))
                    .isEmpty();
            assertThat(session(pool)).isEqualTo(before);
        }
    }

    private static String session(DataSource pool) {
        return new JdbcTemplate(pool).queryForObject("""
                select concat_ws(' ', pg_backend_pid(), current_user, current_setting('app.tenant', true) is distinct from 'a',
                       (select string_agg(name || '=' || setting, ' ' order by name) from pg_settings where source = 'session'),
                       (select count(*) from pg_prepared_statements where from_sql), (select count(*) from pg_cursors where is_holdable),
                       (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
                       (select count(*) from pg_listening_channels()), to_regclass('pg_temp.kept'))""", String.class);
    }

    @Test
    void a_plain_statement_costs_no_reset_of_its_session() throws Exception {
        outbox.execute("create table audit (tenant text)");
        try (HikariDataSource pool = Database.routesPool(outbox.settings(Map.of()))) {
            pool.setMaximumPoolSize(1);
            try (Connection connection = pool.getConnection();
                    PreparedStatement insert = connection.prepareStatement("insert into audit values (?)")) {
                insert.setString(1, "a");
                insert.execute();
                Sql.execute(insert.getConnection(), "set application_name = 'kept'");
            }
            assertThat(session(pool)).contains("application_name=kept");
        }
    }

    @Test
    void a_transaction_that_a_statement_leaves_open_is_a_failed_attempt() throws Exception {
        outbox.execute("create table audit (tenant text)");
        try (HikariDataSource pool = Database.routesPool(outbox.settings(Map.of()))) {
            pool.setMaximumPoolSize(1);
            start(pool, "sql:begin; insert into audit values ('a')?dataSource=#shop");
            long id = outbox.insert("a");

            eventually(() -> assertThat(outbox.waiting("orders")).containsExactly(new Waiting(id, false, 1)));
            assertThat(outbox.text("select error_text from outbox_retry")).contains("has begun a transaction");
            assertThat(new JdbcTemplate(pool).queryForObject("select count(*) from audit", Long.class))
                    .isZero();
        }
    }

    @Test
    void a_statement_that_sets_something_for_its_own_call_is_not_refused() throws Exception {
        outbox.execute("create table written (key text)");
        outbox.execute(
                "create function written(key text) returns void language sql as 'insert into written values (key)'");
        try (HikariDataSource pool = Database.routesPool(outbox.settings(Map.of()))) {
            start(
                    pool,
                    "sql:select set_config('app.tenant', coalesce(:#${header.aggregate-id}, ''), true) as tenant, written(:#${header.type})?dataSource=#shop");
            outbox.awaitPassed("orders", outbox.insert("a"));

            assertThat(arrived).hasSize(1);
            assertThat(outbox.number("select count(*) from written")).isOne();
        }
    }

    /** The next step would write with another search_path or tenant. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "set search_path to t_${header.aggregate-id}",
                "SET LOCAL app.tenant = 'a';",
                "select set_config('app.tenant', 'a', false)",
                "select set_config('app.tenant', coalesce('a', ';'), true) as tenant, pg_catalog.set_config('app.b', 'c', true);",
            })
    void a_step_that_only_sets_something_is_refused_outside_of_a_transaction(String statement) throws Exception {
        try (HikariDataSource pool = Database.routesPool(outbox.settings(Map.of()))) {
            TestRelay.startAsShipped(outbox.pool(), routes -> {
                routes.getContext().getRegistry().bind("shop", DataSource.class, pool);
                routes.from("outbox:orders").toD("sql:" + statement + "?dataSource=#shop");
                routes.from("outbox:others").process(exchange -> new TransactionTemplate(
                                new DataSourceTransactionManager(pool))
                        .executeWithoutResult(transaction -> exchange.getContext()
                                .createProducerTemplate()
                                .send(
                                        "sql:" + statement.replace("${header.aggregate-id}", "a") + "?dataSource=#shop",
                                        exchange)));
            });
            long id = outbox.insert("a");

            eventually(() -> assertThat(outbox.waiting("orders")).containsExactly(new Waiting(id, false, 1)));
            assertThat(outbox.text("select error_text from outbox_retry")).contains("use set local");
            outbox.awaitPassed("others", id);
            assertThat(outbox.waiting("others")).isEmpty();
        }
    }
}
