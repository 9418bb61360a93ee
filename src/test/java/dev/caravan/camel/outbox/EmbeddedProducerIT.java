package dev.caravan.camel.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.WrittenLog;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.camel.CamelExecutionException;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** An application appends messages with {@code to("outbox:…")}. */
class EmbeddedProducerIT {
    private static final Map<String, Object> KEY = Map.of("aggregate-type", "order", "aggregate-id", "77");

    private final TestOutbox outbox = TestOutbox.create();
    private final HikariDataSource pool = pool();
    private final DefaultCamelContext context = new DefaultCamelContext();

    @AfterEach
    void close() throws Exception {
        context.close();
        pool.close();
    }

    @Test
    void a_message_is_stored_at_once_without_a_transaction_whatever_the_auto_commit_of_the_pool() throws Exception {
        pool.setAutoCommit(false);
        ProducerTemplate producer = start(pool);

        send(producer);

        assertThat(messages()).isEqualTo(1);
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void a_message_belongs_to_the_transaction_of_the_caller() throws Exception {
        for (DataSource source : new DataSource[] {pool, new LazyConnectionDataSourceProxy(pool)}) {
            belongsToTransaction(source, source);
        }
        belongsToTransaction(new TransactionAwareDataSourceProxy(pool), pool);
    }

    private void belongsToTransaction(DataSource ofComponent, DataSource ofTransaction) throws Exception {
        outbox.execute("truncate outbox");
        try (DefaultCamelContext each = new DefaultCamelContext()) {
            ProducerTemplate producer = start(each, ofComponent);
            var transaction = new TransactionTemplate(new DataSourceTransactionManager(ofTransaction));

            transaction.executeWithoutResult(status -> {
                send(producer);
                assertThat(messages()).as("before the commit").isZero();
                status.setRollbackOnly();
            });
            assertThat(messages()).as("rolled back").isZero();

            transaction.executeWithoutResult(status -> {
                new JdbcTemplate(ofTransaction).execute("create temp table if not exists business(id int)");
                send(producer);
                assertThat(messages()).as("before the commit").isZero();
            });
            assertThat(messages()).as("committed").isEqualTo(1);
        }
    }

    @Test
    void the_transaction_of_another_data_source_is_a_warning() throws Exception {
        ProducerTemplate producer = start(pool);
        try (HikariDataSource other = pool();
                WrittenLog log = WrittenLog.of(AppendInTransaction.class)) {
            new TransactionTemplate(new DataSourceTransactionManager(other)).executeWithoutResult(status -> {
                send(producer);
                send(producer);
                status.setRollbackOnly();
            });

            assertThat(messages()).isEqualTo(2);
            assertThat(log.lines()).singleElement().asString().contains("outbox:orders", "another data source");
        }
    }

    /** The role of an application may have any search_path, also one on which others create tables, types and operators. */
    @Test
    void the_search_path_of_the_application_does_not_matter() throws Exception {
        outbox.execute(
                "create schema evil; create table evil.outbox (like outbox);"
                        + " create domain evil.jsonb as text check (value is null); create domain evil.json as text check (value is null)");
        pool.setConnectionInitSql("set search_path = evil, pg_catalog");
        ProducerTemplate producer = start(pool);

        send(producer);

        assertThat(messages()).isEqualTo(1);
        assertThat(outbox.number("select count(*) from evil.outbox")).isZero();
    }

    @Test
    void a_message_that_is_refused_fails_the_step_with_the_exception_of_spring() throws Exception {
        ProducerTemplate producer = start(pool);

        assertThatThrownBy(() -> producer.requestBodyAndHeaders("direct:start", "no json", KEY))
                .isInstanceOf(CamelExecutionException.class)
                .rootCause()
                .hasMessageContaining("invalid input syntax for type json");
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    private static void send(ProducerTemplate producer) {
        producer.requestBodyAndHeaders("direct:start", "{}", KEY);
    }

    private long messages() {
        return outbox.number("select count(*) from outbox");
    }

    private ProducerTemplate start(DataSource source) throws Exception {
        return start(context, source);
    }

    private static ProducerTemplate start(DefaultCamelContext context, DataSource source) throws Exception {
        context.getRegistry().bind("shop", DataSource.class, source);
        RouteBuilder.addRoutes(context, routes -> routes.from("direct:start").to("outbox:orders?type=order.created"));
        context.start();
        return context.createProducerTemplate();
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(outbox.url());
        pool.setUsername(TestPostgres.server().user());
        pool.setPassword(TestPostgres.server().password());
        pool.setMinimumIdle(0);
        return pool;
    }
}
