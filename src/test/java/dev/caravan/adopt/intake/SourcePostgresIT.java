package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.longestValue;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static dev.caravan.adopt.intake.SourceFixture.storedKeys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.TestPostgres;
import dev.caravan.lab.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The statements on another Postgres. */
class SourcePostgresIT {
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        PostgresServer server = TestPostgres.server();
        connection = server.dataSource(server.createDatabase()).getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static Intake orders(String payload, String... more) {
        return shop(
                "orders",
                "message: {aggregateType: \"'order'\", aggregateId: \"'1'\", type: \"'created'\", payload: " + payload
                        + "}",
                more);
    }

    private List<String> warnings(Intake intake) throws SQLException {
        return SourceFixture.warnings(intake, connection);
    }

    @Test
    void each_type_has_its_json() throws SQLException {
        execute(
                connection,
                "create type mood as enum ('good', 'bad')",
                "create table orders (id bigint primary key, state int default 0, flag boolean, n numeric, nan numeric, f float4, d float8, c char(5), t text,"
                        + " j json, jb jsonb, u uuid, b bytea, dt date, tm time, ts timestamp, tz timestamptz, inf timestamptz, m mood, a int[], ip inet, i interval, bits bit(3))",
                "insert into orders values (1, 0, true, 1.10, 'NaN', 0.1, 1e300, 'ab', 'ü', '{\"a\": 1.10}', '{\"a\": 1.10}', '0A000000-0000-0000-0000-00000000000F',"
                        + " '\\x00ff', '2026-01-31', '10:00:00.25', '2026-01-31 10:00:00', '2026-01-31 10:00:00+01', 'infinity', 'good', '{1,2}', '::1', '1 day', '101')");

        SourceRow row = read(Source.of(orders("row", "timeZone: Europe/Berlin"), connection), connection)
                .rows()
                .get(0);

        assertThat(((SourceRow.Valid) row).payload())
                .contains(
                        "{\"id\":1,\"state\":0,\"flag\":true,\"n\":1.10,\"nan\":\"NaN\",\"f\":0.1,\"d\":1.0E+300,\"c\":\"ab   \",\"t\":\"ü\","
                                + "\"j\":{\"a\": 1.10},\"jb\":{\"a\": 1.10},\"u\":\"0a000000-0000-0000-0000-00000000000f\",\"b\":\"AP8=\",\"dt\":\"2026-01-31\","
                                + "\"tm\":\"10:00:00.25\",\"ts\":\"2026-01-31T10:00:00+01:00\",\"tz\":\"2026-01-31T09:00:00Z\",\"inf\":\"infinity\",\"m\":\"good\","
                                + "\"a\":\"{1,2}\",\"ip\":\"::1\",\"i\":\"1 day\",\"bits\":\"101\"}");
    }

    @Test
    void a_value_that_is_far_too_large_is_not_read_whatever_its_type() throws SQLException {
        execute(
                connection,
                "create table orders (id int primary key, state int default 0, t text, v varchar, b bytea, j json, jb jsonb)",
                "insert into orders (id, t) values (1, repeat('x', 5000000))",
                "insert into orders (id, v) values (2, repeat('x', 5000000))",
                "insert into orders (id, b) values (3, convert_to(repeat('x', 5000000), 'UTF8'))",
                "insert into orders (id, j) values (4, to_json(repeat('x', 5000000)))",
                "insert into orders (id, jb) values (5, to_jsonb(repeat('x', 5000000)))",
                "insert into orders (id, t, v, b, j, jb) values (6, 'x', 'x', 'x', '1', '1')");
        Source source = Source.of(orders("row", "maxPayload: 100kB"), connection);

        assertThat(longestValue(source, connection)).isLessThan(100);
        List<SourceRow> rows = read(source, connection).rows();
        assertThat(rows.subList(0, 5))
                .allSatisfy(row -> assertThat(((SourceRow.Rejected) row).error())
                        .contains("has more than 100.0 kB, the limit maxPayload"))
                .extracting(row -> row.key().text())
                .containsExactly("1", "2", "3", "4", "5");
        assertThat(rows.get(5)).isInstanceOf(SourceRow.Valid.class);
    }

    /** A text that is bound as varchar would not equal the same text in char(n), which has blanks at its end. */
    @Test
    void a_key_of_each_type_finds_its_row_again() throws SQLException {
        execute(
                connection,
                "create type mood as enum ('good', 'bad')",
                "create table orders (a char(5), b varchar(9), c mood, d uuid, e bytea, f numeric, g smallint, h boolean, i inet, state int default 0,"
                        + " primary key (a, b, c, d, e, f, g, h, i))",
                "insert into orders values ('x', 'y ', 'bad', gen_random_uuid(), '\\x00', 1.10, 7, true, '::1', 0), ('x', 'y', 'bad', gen_random_uuid(), '', 100, 7, false, '::1', 0)");
        Source source = Source.of(orders("none"), connection);
        List<RowKey> keys = storedKeys(read(source, connection).rows());

        assertThat(source.pending(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys.subList(0, 1))).isEqualTo(1);
        assertThat(source.mark(connection, keys)).isEqualTo(1);
    }

    @Test
    void the_table_of_the_search_path_is_meant_and_all_problems_are_found_in_spite_of_the_failed_transaction()
            throws SQLException {
        execute(
                connection,
                "create table orders (id text, state int)",
                "create schema shop",
                "create table shop.orders (id int primary key, state int)",
                "set search_path = shop, public");

        assertThat(Source.of(orders("row"), connection).statements().get("mark"))
                .isEqualTo("update orders set state = 1 where (\"id\" = ?) and (state = 0)");
        assertThatThrownBy(() -> Source.of(orders("none", "pending: stat = 0", "order: seq"), connection))
                .hasMessageContaining("pending fails: ERROR: column \"stat\" does not exist")
                .hasMessageContaining("order fails: ERROR: column \"seq\" does not exist");
    }

    @Test
    void a_missing_index_is_a_warning_with_the_statement_that_creates_it() throws SQLException {
        execute(
                connection,
                "create table orders (id int primary key, state int, seq int)",
                "insert into orders select n, 1, n from generate_series(1, 200000) n",
                "analyze orders");
        List<String> missing = warnings(orders("none", "order: seq"));

        assertThat(missing)
                .containsExactly(
                        "no index serves pending and order: each read looks at all rows. Run: create index orders_pending on orders (seq) where state = 0");
        execute(connection, "create index orders_seq on orders (seq)");
        assertThat(warnings(orders("none", "order: seq"))).isEqualTo(missing);
        execute(connection, missing.get(0).substring(missing.get(0).indexOf("create index")));
        assertThat(warnings(orders("none", "order: seq"))).isEmpty();
        assertThat(warnings(orders("none", "pending: state + 0 = 0", "order: seq")))
                .as("the condition is another than that of the index")
                .hasSize(1)
                .allMatch(warning -> warning.startsWith("the plan of the read "));
    }
}
