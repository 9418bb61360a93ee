package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.intake;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SourceTest {
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        execute(
                connection,
                "create table orders (id uuid primary key, seq bigint generated always as identity unique, state int default 0,"
                        + " topic varchar(50), msg_key varchar(2000), data clob, price decimal(10, 2), error varchar(2000), attempts int)");
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
    }

    private static Intake orders(String... more) {
        return intake(
                ("intake: shop\ndataSource: shopDb\ntable: orders\npending: state = 0\norder: seq\nmark: state = 1\n"
                                + String.join("\n", more)
                                + "\nmessage:\n  id: id\n  aggregateType: \"'order'\"\n  aggregateId: msg_key\n  type: topic\n"
                                + "  payload: data\n  headers: {topic: topic, price: price}\n")
                        .split("\n"));
    }

    private void insert(String id, String topic, String key, String data) throws SQLException {
        try (var insert = connection.prepareStatement(
                "insert into orders (id, topic, msg_key, data, price) values (?, ?, ?, ?, 1.10)")) {
            insert.setObject(1, UUID.fromString(id));
            insert.setString(2, topic);
            insert.setString(3, key);
            insert.setString(4, data);
            insert.executeUpdate();
        }
    }

    @Test
    void a_row_becomes_a_message_as_the_file_says_and_its_mark_ends_pending() throws SQLException {
        insert("0A000000-0000-0000-0000-000000000001", "order.created", "77", "{\"a\": 1.10}");
        insert("0a000000-0000-0000-0000-000000000002", "order.paid", "77", null);
        Source source = Source.of(orders(), connection);

        Source.Rows rows = read(source, connection);

        assertThat(rows.more()).isFalse();
        SourceRow.Valid first = (SourceRow.Valid) rows.rows().get(0);
        assertThat(first.messageId()).hasToString("0a000000-0000-0000-0000-000000000001");
        assertThat(List.of(first.aggregateType(), first.aggregateId(), first.type()))
                .containsExactly("order", "77", "order.created");
        assertThat(first.payload()).contains("{\"a\": 1.10}");
        assertThat(first.headers()).contains("{\"topic\":\"order.created\",\"price\":1.10}");
        assertThat(((SourceRow.Valid) rows.rows().get(1)).payload()).isEmpty();
        List<RowKey> keys = rows.rows().stream()
                .map(SourceRow::key)
                .map(RowKey::json)
                .map(RowKey::of)
                .toList();
        assertThat(source.pending(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys)).isEqualTo(2);
        assertThat(source.mark(connection, keys)).isZero();
        assertThat(source.pending(connection, keys)).isZero();
        assertThat(source.find(connection, keys)).hasSize(2);
    }
}
