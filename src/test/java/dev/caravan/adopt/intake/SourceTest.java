package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.intake;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static dev.caravan.adopt.intake.SourceFixture.storedKeys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.ProxiedConnections;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class SourceTest {
    private static final String REGULAR = "REGULAR";

    private Connection connection;

    private void open(String mode, String... statements) throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:;MODE=" + mode);
        execute(connection, statements);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static Intake orders(String... more) {
        return shop(
                "orders",
                "message: {aggregateType: \"'order'\", aggregateId: msg_key, type: topic, payload: data}",
                more);
    }

    private static List<String> ids(Source.Rows rows) {
        return rows.rows().stream().map(row -> row.key().text()).toList();
    }

    private static SourceRow.Valid valid(SourceRow row) {
        assertThat(row).isInstanceOf(SourceRow.Valid.class);
        return (SourceRow.Valid) row;
    }

    @ParameterizedTest
    @ValueSource(strings = {REGULAR, "MSSQLServer", "Oracle", "MariaDB", "MySQL", "PostgreSQL"})
    void a_row_becomes_a_message_as_the_file_says_and_its_mark_ends_pending(String mode) throws SQLException {
        open(
                mode,
                "create table orders (id uuid primary key, seq int, state int default 0, topic varchar(50), msg_key varchar(50), data varchar(500), price decimal(10, 2))",
                "insert into orders values ('0A000000-0000-0000-0000-000000000002', 2, 0, 'order.paid', '77', null, null)",
                "insert into orders values ('0A000000-0000-0000-0000-000000000001', 1, 0, 'order.created', '77', '{\"a\": 1.10}', 1.10)",
                "insert into orders values ('0A000000-0000-0000-0000-000000000003', 3, 1, 'order.old', '77', '{}', 1)");
        Source source = Source.of(
                orders(
                        "order: seq",
                        "message:",
                        "  id: id",
                        "  aggregateType: \"'order'\"",
                        "  aggregateId: msg_key",
                        "  type: topic",
                        "  payload: data",
                        "  headers: {topic: topic, price: price}"),
                connection);

        Source.Rows rows = read(source, connection);

        assertThat(rows.more()).isFalse();
        assertThat(rows.rows()).hasSize(2);
        SourceRow.Valid first = valid(rows.rows().get(0));
        assertThat(first.messageId()).hasToString("0a000000-0000-0000-0000-000000000001");
        assertThat(List.of(first.aggregateType(), first.aggregateId(), first.type()))
                .containsExactly("order", "77", "order.created");
        assertThat(first.payload()).contains("{\"a\": 1.10}");
        assertThat(first.headers()).contains("{\"topic\":\"order.created\",\"price\":1.10}");
        SourceRow.Valid second = valid(rows.rows().get(1));
        assertThat(second.payload()).isEmpty();
        assertThat(second.headers()).contains("{\"topic\":\"order.paid\"}");
        List<RowKey> keys = storedKeys(rows.rows());
        assertThat(source.pending(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys)).isZero();
        assertThat(source.pending(connection, keys)).isZero();
        assertThat(source.find(connection, keys))
                .hasSize(2)
                .allSatisfy((key, row) -> assertThat(row).map(SourceRow::key).contains(key));
        RowKey missing = new RowKey(List.of(new UUID(0, 0)));
        assertThat(source.find(connection, List.of(missing))).containsExactly(Map.entry(missing, Optional.empty()));
        assertThat(read(source, connection).rows()).isEmpty();
    }

    @Test
    void only_pending_rows_are_marked_or_deleted() throws SQLException {
        open(
                REGULAR,
                "create table orders (id int primary key, state int, topic varchar(50) default 't', msg_key varchar(50) default 'k', data varchar(50))",
                "insert into orders (id, state) values (1, 0), (2, 5), (3, 0)");
        List<RowKey> all =
                List.of(new RowKey(List.of(1)), new RowKey(List.of(2)), new RowKey(List.of(3)), new RowKey(List.of(4)));

        assertThat(Source.of(orders("mark: delete"), connection).mark(connection, all))
                .isEqualTo(2);
        assertThat(Source.of(orders("pending: state = 5 or state = 6"), connection)
                        .mark(connection, all))
                .isEqualTo(1);
        assertThat(Source.of(orders(), connection).mark(connection, List.of())).isZero();
    }

    @Test
    void keys_of_several_columns_and_types_find_their_rows_again() throws SQLException {
        open(
                REGULAR,
                "create table orders (a varchar(20), b char(5), c binary(16), d uuid, e decimal(30, 2), f boolean, g bigint, state int default 0,"
                        + " topic varchar(50) default 't', msg_key varchar(50) default 'k', data varchar(50), primary key (a, b, c, d, e, f, g))",
                "insert into orders (a, b, c, d, e, f, g) values"
                        + " ('Ab ', 'x', x'00112233445566778899aabbccddeeff', '0A000000-0000-0000-0000-000000000001', 1.10, true, 9223372036854775807),"
                        + " ('Ab', 'x', x'00112233445566778899aabbccddeeff', '0A000000-0000-0000-0000-000000000001', 1.10, true, 9223372036854775807),"
                        + " ('it''s', 'y', x'00000000000000000000000000000000', '0A000000-0000-0000-0000-000000000001', 1234567890123456789012345678, false, -1)");
        Source source = Source.of(orders(), connection);

        List<RowKey> keys = storedKeys(read(source, connection).rows());

        assertThat(keys).hasSize(3);
        assertThat(source.mark(connection, keys.subList(0, 1))).isEqualTo(1);
        assertThat(source.pending(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys)).isEqualTo(2);
    }

    @Test
    void rows_come_in_their_order_even_if_a_result_could_be_taken_for_the_column() throws SQLException {
        open(
                REGULAR,
                "create table orders (id varchar(20) primary key, caravan_1 int, Caravan_X_1 int, state int default 0, topic varchar(50) default 't', msg_key varchar(50), data varchar(50))",
                "insert into orders (id, caravan_1, msg_key) values ('a', 3, 'z'), ('b', 2, 'y'), ('c', 1, 'x')");

        assertThat(ids(read(Source.of(orders("order: caravan_1"), connection), connection)))
                .containsExactly("c", "b", "a");
        assertThat(ids(read(Source.of(orders("order: [state, id desc]"), connection), connection)))
                .containsExactly("c", "b", "a");
        assertThat(ids(read(Source.of(orders(), connection), connection))).containsExactly("a", "b", "c");
    }

    @Test
    void a_batch_ends_at_its_number_of_rows_or_of_bytes() throws SQLException {
        open(
                REGULAR,
                "create table orders (id int primary key, state int default 0, topic varchar(50) default 't', msg_key varchar(50) default 'k', data clob)",
                "insert into orders (id, data) select x, '\"' || repeat('x', 5000000) || '\"' from system_range(1, 6)");
        Source.Rows limited = read(Source.of(orders("batch: 2"), connection), connection);
        Source.Rows bounded = read(Source.of(orders(), connection), connection);

        assertThat(limited.rows()).hasSize(2);
        assertThat(limited.more()).isTrue();
        assertThat(bounded.rows())
                .as("four times 5 MB are the first to be more than 16 MB")
                .hasSize(4);
        assertThat(bounded.more()).isTrue();
        assertThat(read(Source.of(orders("batch: 7", "maxPayload: 1MB"), connection), connection)
                        .rows())
                .as("of payloads that are too large nothing is kept")
                .hasSize(6)
                .allSatisfy(row -> assertThat(((SourceRow.Rejected) row).row()).hasSizeLessThan(500));
    }

    @ParameterizedTest
    @ValueSource(strings = {REGULAR, "MSSQLServer", "MariaDB", "Oracle"})
    void a_table_with_hostile_names_is_read_and_marked(String mode) throws SQLException {
        open(
                mode,
                "create schema \"my.schema\"",
                "create table \"my.schema\".\"out \"\"box`[x]\" (\"key\" int primary key, \"row\" varchar(20), \"select\" varchar(20), \"a \"\"b\"\", 'c'\" varchar(20), \"?\" int)",
                "insert into \"my.schema\".\"out \"\"box`[x]\" values (1, 'r', 's', 'b', 0)");
        Source source = Source.of(
                intake(
                        "intake: shop",
                        "dataSource: shopDb",
                        "table: '\"my.schema\".\"out \"\"box`[x]\"'",
                        "pending: '\"?\" = 0'",
                        "mark: '\"?\" = 1'",
                        "message:",
                        "  aggregateType: '\"select\"'",
                        "  aggregateId: '\"a \"\"b\"\", ''c''\"'",
                        "  type: '\"row\"'"),
                connection);

        SourceRow row = read(source, connection).rows().get(0);

        assertThat(valid(row).payload())
                .contains("{\"key\":1,\"row\":\"r\",\"select\":\"s\",\"a \\\"b\\\", 'c'\":\"b\",\"?\":0}");
        assertThat(source.mark(connection, List.of(row.key()))).isEqualTo(1);
        assertThat(read(source, connection).rows()).isEmpty();
    }

    /** Large values are read then. */
    @Test
    void a_database_that_does_not_know_the_size_of_a_value_is_read_as_before() throws SQLException {
        open(
                REGULAR,
                "create table orders (id int primary key, state int default 0, topic varchar(50) default 't', msg_key varchar(50) default 'k', data clob)",
                "insert into orders (id, data) values (1, '[7]')");
        Connection unable = new ProxiedConnections(new SingleConnectionDataSource(connection, true)) {
            @Override
            protected Object on(Call call) throws Exception {
                if (String.valueOf(call.text()).contains("octet_length")) {
                    throw new SQLException("unknown function octet_length", "42000");
                }
                return call.proceed();
            }
        }.getConnection();

        assertThat(Source.of(orders(), connection).select()).contains("octet_length");
        assertThat(valid(read(Source.of(orders(), unable), unable).rows().get(0))
                        .payload())
                .contains("[7]");
    }

    @Test
    void a_list_of_columns_has_the_names_of_the_file() throws SQLException {
        open(
                "Oracle",
                "create table orders (id int primary key, \"Total\" decimal(10, 2), state int default 0, topic varchar(50) default 't', msg_key varchar(50) default 'k', data varchar(50))",
                "insert into orders (id, \"Total\") values (1, 2.50)");
        Intake intake = orders(
                "message: {aggregateType: topic, aggregateId: msg_key, type: topic, payload: [id, orders.\"Total\", data]}");

        assertThat(valid(read(Source.of(intake, connection), connection).rows().get(0))
                        .payload())
                .contains("{\"id\":1,\"Total\":2.50,\"data\":null}");
    }

    @Test
    void the_outcome_is_written_into_the_row() throws SQLException {
        open(
                REGULAR,
                "create table orders (id int primary key, state int default 0, error varchar(100), tries int, topic varchar(50) default 't', msg_key varchar(50) default 'k', data varchar(50))",
                "insert into orders (id, state) values (1, 1), (2, 1), (3, 1)");
        Source source = Source.of(
                orders(
                        "outcome:",
                        "  subscription: orders",
                        "  delivered: state = 2",
                        "  dead: \"state = 3, tries = :attempts, error = concat(':attempts ', :error)\""),
                connection);

        source.writeDelivered(connection, List.of(new RowKey(List.of(1))));
        source.writeDead(
                connection,
                List.of(
                        new Source.Dead(new RowKey(List.of(2)), 5, "it's down"),
                        new Source.Dead(new RowKey(List.of(3)), 6, "gone")));

        assertThat(lines("select id, state, tries, error from orders order by id"))
                .containsExactly("1 2 null null", "2 3 5 :attempts it's down", "3 3 6 :attempts gone");
        assertThat(source.statements()).containsOnlyKeys("read", "mark", "delivered", "dead");
        assertThat(source.statements().get("dead"))
                .startsWith(
                        "update orders set state = 3, tries = :attempts, error = concat(':attempts ', :error) where (\"ID\" = ?)");
    }

    private List<String> lines(String sql) throws SQLException {
        return Sql.rows(connection, sql, row -> {
            List<String> line = new ArrayList<>();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                line.add(String.valueOf(row.getString(i)));
            }
            return String.join(" ", line);
        });
    }

    @Test
    void a_row_without_a_key_stops_the_intake_because_it_could_not_be_marked() throws SQLException {
        open(
                REGULAR,
                "create table orders (id int unique, state int default 0, topic varchar(50), msg_key varchar(50), data varchar(50))",
                "insert into orders (topic) values ('t')");
        Source source = Source.of(orders("key: id"), connection);

        assertThatThrownBy(() -> read(source, connection))
                .isInstanceOf(IntakeRefusal.class)
                .hasMessageContaining("shop.yaml:6: a row has no value in the column id of the key");
    }
}
