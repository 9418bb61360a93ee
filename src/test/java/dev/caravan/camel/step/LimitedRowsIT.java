package dev.caravan.camel.step;

import static org.apache.camel.builder.Builder.body;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.TestPostgres;
import dev.caravan.base.text.Causes;
import dev.caravan.camel.FieldException;
import dev.caravan.camel.guard.Part;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLDataException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.sql.ResultSetIterator;
import org.apache.camel.component.sql.SqlConstants;
import org.apache.camel.impl.DefaultCamelContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Queries of steps {@code sql:}, with a heap of which 100 rows may be read, and 800 as a stream. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LimitedRowsIT {
    private static final long HEAP = 100 * 1024 * 10;

    private final CamelContext camel = new DefaultCamelContext();
    private final HikariDataSource pool = new HikariDataSource();
    private final AtomicInteger read = new AtomicInteger();

    @BeforeAll
    void start() throws Exception {
        DataSource database = TestPostgres.server().dataSource(TestPostgres.databaseWithTables());
        pool.setDataSource(database);
        camel.getCamelContextExtension().registerEndpointCallback(new LimitedRows(HEAP));
        camel.getRegistry().bind("unpooled", DataSource.class, database);
        camel.getRegistry().bind("pooled", DataSource.class, pool);
        RouteBuilder.addRoutes(camel, routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder()); // failures are part of the tests: no stack trace for each
            routes.from("direct:query")
                    .toD("${header.query}")
                    .filter(exchange -> exchange.getMessage().getBody() instanceof ResultSetIterator)
                    .split(body())
                    .streaming()
                    .stopOnException()
                    .process(exchange -> read.incrementAndGet());
        });
        camel.start();
    }

    @AfterAll
    void stop() throws Exception {
        camel.close();
        pool.close();
    }

    /** A query that returns numbers from 1 on. */
    private static String numbers(int rows, String options) {
        return "sql:select n from generate_series(1, " + rows + ") n?" + options;
    }

    private Exchange message(String query, Object body) {
        return sent(query, body, true);
    }

    private Exchange sent(String query, Object body, boolean ofOutbox) {
        return sent(query, body, ofOutbox, Map.of());
    }

    private Exchange sent(String query, Object body, boolean ofOutbox, Map<String, Object> headers) {
        return camel.createProducerTemplate().send("direct:query", exchange -> {
            if (ofOutbox) {
                Part.begin(exchange, "", false);
            }
            exchange.getMessage().setHeader("query", query);
            exchange.getMessage().getHeaders().putAll(headers);
            exchange.getMessage().setBody(body);
        });
    }

    private static void isRefused(Exchange exchange) {
        assertThat(Causes.root(exchange.getException()))
                .isInstanceOf(SQLDataException.class)
                .hasMessageContaining("returns more than 100 rows");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pooled", "unpooled"})
    void a_query_may_return_as_many_rows_as_the_limit(String source) {
        Exchange exchange = message(numbers(100, "dataSource=#" + source), "1");

        assertThat(exchange.getException()).isNull();
        assertThat(exchange.getMessage().getBody()).asInstanceOf(LIST).hasSize(100);
    }

    @ParameterizedTest
    @CsvSource({
        "pooled, outputType=SelectList",
        "unpooled, outputType=SelectList",
        "pooled, outputType=SelectOne",
        "pooled, outputHeader=rows",
        "pooled, outputClass=java.util.HashMap",
        "pooled, template.fetchSize=10"
    })
    void a_query_that_returns_more_fails(String source, String options) {
        isRefused(message(numbers(101, "dataSource=#" + source + "&" + options), "1"));
    }

    @Test
    void a_query_with_a_parameter_that_returns_more_fails() {
        isRefused(message("sql:select n from generate_series(1, cast(:#${body} as int)) n?dataSource=#pooled", "101"));
    }

    @Test
    void a_stored_function_that_returns_more_fails() {
        message(
                "sql:create function numbers(n int) returns setof int language sql as 'select generate_series(1, n)'?dataSource=#pooled",
                "1");
        String call = "sql-stored:numbers(INTEGER ${body})?dataSource=#pooled";

        assertThat(message(call, "100").getException()).isNull();
        isRefused(message(call, "101"));
        assertThat(sent(call, "101", false).getException()).isNull();
    }

    @Test
    void a_statement_that_changes_more_rows_changes_all() {
        pool.setMaximumPoolSize(1);
        message("sql:create table many (n int)?dataSource=#pooled", "1");

        Exchange insert = message("sql:insert into many select generate_series(1, 500)?dataSource=#pooled", "1");

        assertThat(insert.getException()).isNull();
        assertThat(insert.getMessage().getHeader("CamelSqlUpdateCount")).isEqualTo(500);
    }

    @Test
    void a_statement_is_committed_also_on_another_data_source_than_that_of_the_step_or_the_transaction() {
        message("sql:create table committed (n int)?dataSource=#pooled", "1");
        try (HikariDataSource manual = new HikariDataSource()) {
            manual.setDataSource(pool.getDataSource());
            manual.setAutoCommit(false);
            camel.getRegistry().bind("manual", DataSource.class, manual);
            String insert = "sql:insert into committed values (1)?dataSource=";

            sent(insert + "#pooled", "1", true, Map.of(SqlConstants.SQL_DATA_SOURCE, manual));
            inTransaction(pool, () -> message(insert + "#manual", "1"));
            inTransaction(manual, () -> message(insert + "#manual", "1"));
        }

        assertThat(message("sql:select count(*) from committed?outputType=SelectOne&dataSource=#pooled", "1")
                        .getMessage()
                        .getBody(Integer.class))
                .isEqualTo(2);
    }

    private static void inTransaction(DataSource database, Runnable step) {
        new TransactionTemplate(new DataSourceTransactionManager(database)).executeWithoutResult(transaction -> {
            step.run();
            transaction.setRollbackOnly();
        });
    }

    @Test
    void a_statement_of_a_batch_is_run_once_for_each_element() {
        message("sql:create table batched (n int)?dataSource=#pooled", "1");

        Exchange insert =
                message("sql:insert into batched values (:#n)?batch=true&dataSource=#pooled", List.of(Map.of("n", 1)));

        assertThat(insert.getException()).isNull();
        assertThat(insert.getMessage().getHeader("CamelSqlUpdateCount")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql:insert into unused values (:#n)",
                "sql:insert into unused values (1)",
                "sql-stored:unused(INTEGER :#n)"
            })
    void a_batch_without_a_list_fails_and_one_of_an_empty_list_writes_nothing(String step) {
        message("sql:create table if not exists unused (n int)?dataSource=#pooled", "1");
        message(
                "sql:create or replace function unused(n int) returns void language sql as 'insert into unused values (n)'?dataSource=#pooled",
                "1");
        String batch = step + "?batch=true&dataSource=#pooled";

        assertThat(message(batch, List.of()).getException()).isNull();
        String json = " [{\"n\": 1}, {\"n\": 2}]";
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        for (Object body :
                Arrays.asList(null, " ", json, "{\"n\": 1}", Map.of("n", 1), bytes, new ByteArrayInputStream(bytes))) {
            assertThat(sent(batch, body, true, Map.of("n", 7)).getException())
                    .hasMessageContaining("the body is null, empty, a map or JSON text");
        }
        assertThat(message(batch, Collections.singletonList(null)).getException())
                .hasMessageContaining("an element is null");
        assertThat(message("sql:select count(*) from unused?outputType=SelectOne&dataSource=#pooled", "1")
                        .getMessage()
                        .getBody(Long.class))
                .isZero();
        assertThat(message(batch, List.of(Map.of("n", 1), Map.of("n", 1))).getException())
                .isNull();
        assertThat(message("sql:delete from unused?dataSource=#pooled", "1")
                        .getMessage()
                        .getHeader("CamelSqlUpdateCount"))
                .isEqualTo(2);
    }

    /** A header of the row, or of an answer, which happens to have the name of a field. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql:select :#query",
                "sql:select 1 where 'a' in (:#in:query)",
                "sql:select :#n, :#QUERY",
                "sql:insert into named values (:#query)?batch=true",
                "sql-stored:md5(VARCHAR :#query)",
                "sql-stored:md5(VARCHAR :#n,INOUT VARCHAR :#query out)",
                "sql-stored:md5(VARCHAR :#query)?batch=true"
            })
    void a_named_parameter_is_a_field_of_the_map_and_never_a_header(String step) {
        message("sql:create table if not exists named (n text)?dataSource=#pooled", "1");
        String uri = step + (step.contains("?") ? "&" : "?") + "dataSource=#pooled";
        Map<String, ?> fields = Map.of("n", "1");

        Exchange exchange = message(uri, step.contains("batch") ? List.of(fields) : fields);

        assertThat(exchange.getException()).hasMessageContaining("has no field").hasMessageContaining(":#${header.");
    }

    /** Also where the extension hstore is installed, which has texts only. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql:select cast(:#v as jsonb)::text as result",
                "sql:select cast(# as jsonb)::text as result",
                "sql-stored:shown(OTHER :#v)"
            })
    void an_object_or_a_list_is_sent_as_json(String step) {
        message("sql:create extension if not exists hstore?dataSource=#pooled", "1");
        message(
                "sql:create or replace function shown(v jsonb) returns text language sql as 'select v::text'?dataSource=#pooled",
                "1");
        Map<String, Object> object = new TreeMap<>(Map.of("a", 1, "b", Map.of("c", List.of("1"))));
        List<Object> list = List.of("1", object);

        for (Object value : List.of(object, list)) {
            Object body = step.contains("#v") ? Map.of("v", value) : List.of(value);
            assertThat(message(step + "?dataSource=#pooled", body).getMessage().getBody(String.class))
                    .contains("result=" + (value == list ? "[\"1\", " : "") + "{\"a\": 1, \"b\": {\"c\": [\"1\"]}}");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sql:select length(:#query) as n",
                "sql:select length(:#${header.query}) as n",
                "sql-stored:length(VARCHAR :#query)"
            })
    void a_named_parameter_is_a_header_if_the_body_is_no_map(String step) {
        assertThat(message(step + "?dataSource=#pooled", "text").getException()).isNull();
    }

    @Test
    void a_parameter_of_a_stored_function_that_nothing_has_fails() {
        assertThat(message("sql-stored:md5(VARCHAR :#absent)?dataSource=#pooled", "text")
                        .getException())
                .hasMessageContaining("no header is named absent");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INTEGER | 3000000000",
                "INTEGER | 4.7",
                "INTEGER | '4.7'",
                "INTEGER | [1]",
                "INTEGER | {\"a\": 1}",
                "INTEGER | \"x\"",
                "SMALLINT | 40000",
                "TINYINT | 300",
                "BIGINT | 1e20",
                "BIGINT | 5.9",
                "BIGINT | 1e999999999",
                "NUMERIC(2) | 1.005",
                "NUMERIC | \"1e999999999\"",
                "DOUBLE | 1e400",
                "REAL | 1e40",
                "BOOLEAN | [true]",
                "VARCHAR | {\"a\": \"b\"}",
                "VARCHAR | [\"b\"]",
                "DATE | [1]",
                "DATE | \"2026-02-31\"",
                "DATE | \"0000-00-00\"",
                "TIME | \"25:00:00\"",
                "TIMESTAMP | \"2026-02-31 10:00:00\"",
                "TIMESTAMP | \"2026-02-28 10:61:00+02:00\""
            })
    void a_value_that_a_type_cannot_have_is_not_stored_as_another_one(String type, String json) throws Exception {
        Exchange exchange = stored(type, json);

        assertThat(exchange.getException())
                .isInstanceOf(FieldException.class)
                .hasMessageContaining(":#v cannot be stored as " + type.replaceAll("\\W.*", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INTEGER | 2147483647 | 2147483647",
                "INTEGER | 4.0 | 4",
                "INTEGER | \"100\" | 100",
                "INTEGER | null | null",
                "SMALLINT | -32768 | -32768",
                "TINYINT | 1 | 1",
                "BIGINT | 1e18 | 1000000000000000000",
                "NUMERIC | 1.10 | 1.10",
                "NUMERIC(2) | 1.1 | 1.1",
                "DOUBLE | 0.1 | 0.1",
                "REAL | 0.5 | 0.5",
                "BOOLEAN | true | true",
                "BOOLEAN | 1 | true",
                "BOOLEAN | \"no\" | false",
                "VARCHAR | 1.10 | 1.10",
                "VARCHAR | \"a\" | a",
                "VARCHAR | true | true",
                "DATE | \"2024-02-29\" | 2024-02-29",
                "TIME | \"10:00:00\" | 10:00:00",
                "TIMESTAMP | \"2026-02-28 10:00:00\" | 2026-02-28 10:00:00"
            })
    void a_value_that_a_type_can_have_is_stored(String type, String json, String expected) throws Exception {
        Exchange exchange = stored(type, json);

        assertThat(exchange.getException()).isNull();
        assertThat(message("sql:select v from kept?outputType=SelectOne&dataSource=#pooled", "1")
                        .getMessage()
                        .getBody())
                .isEqualTo("null".equals(expected) ? null : expected);
    }

    private Exchange stored(String type, String json) throws Exception {
        message("sql:create table if not exists kept (v text)?dataSource=#pooled", "1");
        message("sql:delete from kept?dataSource=#pooled", "1");
        String function =
                "keep_" + type.replaceAll("\\W", ""); // one of each name: a driver does not say which type a date has
        String ofDatabase =
                switch (type) {
                    case "TINYINT" -> "smallint";
                    case "NUMERIC(2)" -> "numeric";
                    case "DOUBLE" -> "double precision";
                    default -> type;
                };
        message(
                "sql:create or replace function " + function + "(v " + ofDatabase
                        + ") returns void language sql as 'insert into kept values (cast(v as text))'?dataSource=#pooled",
                "1");
        ObjectMapper exact = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
        return message(
                "sql-stored:" + function + "(" + type + " :#v)?dataSource=#pooled",
                exact.readValue("{\"v\": " + json.replace("'", "\"") + "}", Map.class));
    }

    @Test
    void a_stream_may_have_more_rows_but_is_not_cut_in_silence() {
        Exchange whole = message(numbers(800, "outputType=StreamList&dataSource=#pooled"), "1");
        Exchange tooLong = message(numbers(801, "outputType=StreamList&dataSource=#pooled"), "1");

        assertThat(whole.getException()).isNull();
        assertThat(read).hasValue(1_600);
        assertThat(Causes.root(tooLong.getException()))
                .isInstanceOf(SQLDataException.class)
                .hasMessageContaining("more than 800 rows");
    }

    @Test
    void a_number_of_rows_that_the_step_sets_cuts_the_result() {
        Exchange exchange = message(numbers(101, "template.maxRows=7&dataSource=#pooled"), "1");

        assertThat(exchange.getMessage().getBody()).asInstanceOf(LIST).hasSize(7);
    }

    @Test
    void other_exchanges_are_not_limited() {
        Exchange exchange = sent(numbers(5_000, "dataSource=#pooled"), "1", false);

        assertThat(exchange.getMessage().getBody()).asInstanceOf(LIST).hasSize(5_000);
    }
}
