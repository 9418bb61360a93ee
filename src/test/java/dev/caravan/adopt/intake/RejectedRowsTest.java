package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.longestValue;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.message.Json;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows that cannot be messages, in any column of a row that could be one otherwise. */
class RejectedRowsTest {
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        execute(
                connection,
                "create table outbox (id int generated always as identity primary key, state int default 0, a varchar, b varchar, c varchar,"
                        + " h clob, data varchar)");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static Intake outbox(String payload) {
        return shop(
                "outbox",
                "message: {aggregateType: a, aggregateId: b, type: c, headers: {h: h}, " + payload + "}",
                "maxPayload: 100kB");
    }

    private static Intake withoutHeaders() {
        return shop("outbox", "message: {aggregateType: a, aggregateId: b, type: c, payload: data}");
    }

    private SourceRow inserted(String column, String value) throws SQLException {
        return inserted(column, value, "payload: data");
    }

    private SourceRow inserted(String column, Object value, String payload) throws SQLException {
        List<String> columns = List.of("a", "b", "c", "h", "data");
        try (PreparedStatement insert =
                connection.prepareStatement("insert into outbox (a, b, c, h, data) values (?, ?, ?, ?, ?)")) {
            for (int i = 0; i < columns.size(); i++) {
                insert.setObject(
                        i + 1,
                        columns.get(i).equals(column)
                                ? value
                                : List.of("a", "b", "c", "h", "{}").get(i));
            }
            insert.executeUpdate();
        }
        return read(Source.of(outbox(payload), connection), connection).rows().get(0);
    }

    private static SourceRow.Rejected rejected(SourceRow row) {
        assertThat(row).isInstanceOf(SourceRow.Rejected.class);
        return (SourceRow.Rejected) row;
    }

    /** Values: {@code NUL} and {@code HALF} are characters, {@code LONG} is a repeated one, {@code NULL} is null. */
    private static String value(String text) {
        return text == null || text.equals("NULL")
                ? null
                : text.replace("NUL", "\0").replace("HALF", "\ud83d").replace("LONG", "ü".repeat(500));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = true,
            quoteCharacter = '^',
            value = {
                "a    | NULL         | NoKey       | aggregateType (a) is null",
                "b    | NULL         | NoKey       | aggregateId (b) is null",
                "c    | NULL         | NoKey       | type (c) is null",
                "b    | ^  ^         | NoKey       | aggregateId (b) is blank",
                "b    | xNULx        | InvalidText | aggregateId (b) contains the character NUL, which Postgres cannot store",
                "b    | HALF         | InvalidText | aggregateId (b) contains half of a character (an unpaired surrogate)",
                "b    | LONG         | KeyTooLong  | aggregateType, aggregateId and type have 1002 bytes together, more than 1000",
                "h    | xNULx        | InvalidText | the header h contains the character NUL, which Postgres cannot store",
                "data | ^^           | InvalidJson | payload (data) is not JSON: it is empty",
                "data | {\"a\": 1    | InvalidJson | payload (data) is not JSON: at line 1, column 8",
                "data | {} {}        | InvalidJson | payload (data) is not JSON: it has 2 values",
                "data | {'a': 1}     | InvalidJson | payload (data) is not JSON: at line 1, column 2",
                "data | NaN          | InvalidJson | payload (data) is not JSON: at line 1, column 4",
                "data | \"xNULx\"    | InvalidJson | payload (data) is not JSON: at line 1, column 3",
                "data | \"HALF\"     | InvalidText | payload (data) contains half of a character (an unpaired surrogate)"
            })
    void a_row_that_cannot_be_a_message_is_rejected_with_the_reason(
            String column, String value, String errorClass, String error) throws SQLException {
        SourceRow.Rejected row = rejected(inserted(column, value(value)));

        assertThat(row.error()).isEqualTo(error);
        assertThat(row.errorClass()).isEqualTo(errorClass);
        assertThat(row.key()).isEqualTo(new RowKey(List.of(1)));
        assertThat(row.messageId()).isEqualTo(row.key().messageId("shop"));
        assertThat(Texts.problem(row.row())).isEmpty();
        assertThat(Json.read(row.row()).path("key").path(0).intValue()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "data | {\"a\": 1.10, \"a\": 2}",
                "data | ^ [1, \"\\u0000\"] ^",
                "data | ^\"ü😀\"^",
                "data | 1E400",
                "data | null",
                "b    | ^ B ^",
                "h    | ^\"quoted\"^",
                "h    | ^not a NUL: \\u0000^"
            })
    void odd_rows_that_can_be_messages_are_taken_as_they_are(String column, String value) throws SQLException {
        SourceRow row = inserted(column, value);

        assertThat(row).isInstanceOf(SourceRow.Valid.class);
        SourceRow.Valid valid = (SourceRow.Valid) row;
        if (column.equals("data")) {
            assertThat(valid.payload()).contains(value);
        } else if (column.equals("b")) {
            assertThat(valid.aggregateId()).isEqualTo(value);
        }
    }

    @Test
    void what_is_too_large_is_rejected_and_not_kept() throws SQLException {
        SourceRow.Rejected payload = rejected(inserted("data", "\"" + "x".repeat(100 << 10) + "\""));
        execute(connection, "delete from outbox");
        SourceRow.Rejected key = rejected(inserted("b", "x".repeat(1 << 20)));
        execute(connection, "delete from outbox");
        SourceRow.Rejected headers = rejected(inserted("h", "x".repeat(2 << 20)));

        assertThat(payload.error()).isEqualTo("payload (data) has more than 100.0 kB, the limit maxPayload");
        assertThat(payload.row()).contains("\"payloadLeftOut\":true");
        assertThat(key.error()).isEqualTo("aggregateId (b) has more than 8192 characters");
        assertThat(headers.error()).isEqualTo("headers.h (h) has more than 1.0 MB");
        assertThat(List.of(payload, key, headers))
                .allSatisfy(row -> assertThat(row.row()).hasSizeLessThan(500));
    }

    /** Drivers hold a whole row in memory. */
    @Test
    void a_value_that_is_far_too_large_is_not_read_in_any_column() throws SQLException {
        for (String column : List.of("a", "b", "c", "h", "data")) {
            execute(connection, "alter table outbox alter column " + column + " set data type clob");
        }
        for (String column : List.of("a", "b", "c", "h", "data")) {
            execute(connection, "insert into outbox (a, b, c, h, data) values ('a', 'b', 'c', 'h', '{}')");
            execute(
                    connection,
                    "update outbox set " + column + " = repeat('x', 5000000) where id = (select max(id) from outbox)");
        }
        Source source = Source.of(outbox("payload: data"), connection);

        assertThat(longestValue(source, connection)).isLessThan(100);
        assertThat(read(source, connection).rows())
                .extracting(row -> rejected(row).error())
                .containsExactly(
                        "aggregateType (a) has more than 8192 characters",
                        "aggregateId (b) has more than 8192 characters",
                        "type (c) has more than 8192 characters",
                        "headers.h (h) has more than 1.0 MB",
                        "payload (data) has more than 100.0 kB, the limit maxPayload");
    }

    @Test
    void an_object_that_is_too_large_is_rejected_though_its_columns_are_not() throws SQLException {
        execute(
                connection,
                "insert into outbox (a, b, c, h, data) values ('a', 'b', 'c', repeat('x', 60000), repeat('y', 60000))");

        assertThat(rejected(read(Source.of(outbox("payload: row"), connection), connection)
                                .rows()
                                .get(0))
                        .error())
                .isEqualTo("the payload has more than 100.0 kB, the limit maxPayload");
    }

    @Test
    void a_value_that_cannot_be_read_rejects_its_row_only() throws SQLException {
        execute(
                connection,
                "insert into outbox (a, b, c, data) values ('a', 'b', 'c', '{}'), ('a', 'b', 'x', '{}'), ('a', 'b', 'c', '{}')");
        Source source = Source.of(withoutHeaders(), connection);
        try (PreparedStatement select = connection.prepareStatement(source.select());
                var rows = select.executeQuery()) {
            List<SourceRow> read = source.read(
                            new UnreadableColumn(rows, 5, 2, new SQLException("bad value", "22000")).resultSet())
                    .rows();

            assertThat(read).hasSize(3);
            assertThat(read.get(0)).isInstanceOf(SourceRow.Valid.class);
            assertThat(rejected(read.get(1)).error()).isEqualTo("payload (data) cannot be read: bad value");
            assertThat(rejected(read.get(1)).row())
                    .as("a payload that lacks a value is not stored")
                    .contains("\"payloadLeftOut\":true");
            assertThat(read.get(2)).isInstanceOf(SourceRow.Valid.class);
        }
    }

    /** Otherwise a row that is in order would be a dead letter, and marked. */
    @ParameterizedTest
    @CsvSource({"08006", "40001", "57014", "HYT00"})
    void a_database_that_fails_while_a_value_is_read_rejects_no_row(String state) throws SQLException {
        execute(connection, "insert into outbox (a, b, c, data) values ('a', 'b', 'c', '{}')");
        Source source = Source.of(withoutHeaders(), connection);
        SQLException failure = new SQLException("the database fails", state);
        try (PreparedStatement select = connection.prepareStatement(source.select());
                var rows = select.executeQuery()) {
            assertThatThrownBy(() -> source.read(new UnreadableColumn(rows, 5, 1, failure).resultSet()))
                    .isSameAs(failure);
        }
    }

    /** What is stored of a rejected row becomes a message when a person has corrected it. */
    @Test
    void a_stored_row_becomes_a_message_when_it_is_correct() throws SQLException {
        SourceRow.Rejected row = rejected(inserted("b", null));
        Source source = Source.of(outbox("payload: data"), connection);

        assertThat(rejected(source.stored(row.key(), row.messageId(), row.row()))
                        .error())
                .isEqualTo("aggregateId (b) is null");
        ObjectNode edited = (ObjectNode) Json.read(row.row());
        edited.put("aggregateId", "77");
        assertThat(source.stored(row.key(), row.messageId(), edited.toString()))
                .isEqualTo(new SourceRow.Valid(
                        row.key(),
                        row.messageId(),
                        "a",
                        "77",
                        "c",
                        Optional.of("{\"h\":\"h\"}"),
                        Optional.of("{}"),
                        Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "[]                                                                                    | is not an object",
                "not json                                                                              | is not JSON",
                "{\"aggregateType\": \"a\", \"aggregateId\": {}, \"type\": \"c\"}                      | aggregateId (b) is null",
                "{\"aggregateType\": \"a\", \"aggregateId\": \"b\", \"type\": \"c\", \"headers\": []}  | headers must be an object",
                "{\"aggregateType\": \"a\", \"aggregateId\": \"b\", \"type\": \"c\", \"payloadText\": \"{\"}    | payload (data) is not JSON: at line 1, column 2",
                "{\"aggregateType\": \"a\", \"aggregateId\": \"b\", \"type\": \"c\", \"payloadBytes\": \"?\"}   | payloadBytes is not Base64",
                "{\"aggregateType\": \"a\", \"aggregateId\": \"b\", \"type\": \"c\", \"payloadLeftOut\": true}  | the payload was not stored",
                "{\"aggregateType\": \"a\", \"aggregateId\": \"b\", \"type\": \"c\", \"headersLeftOut\": true}  | the headers were not stored"
            })
    void a_stored_row_that_is_still_wrong_is_rejected_again(String stored, String error) throws SQLException {
        Source source = Source.of(outbox("payload: data"), connection);
        RowKey key = new RowKey(List.of(1));

        assertThat(rejected(source.stored(key, key.messageId("shop"), stored)).error())
                .contains(error);
    }

    @Test
    void bytes_and_text_that_is_not_json_are_stored_so_that_they_stay_what_they_are() throws SQLException {
        execute(connection, "alter table outbox alter column data set data type varbinary");
        SourceRow.Rejected bytes = rejected(inserted("data", new byte[] {(byte) 0xff}, "payload: data"));
        execute(connection, "delete from outbox");
        SourceRow.Rejected text = rejected(inserted("data", "{".getBytes(), "payload: data"));

        assertThat(bytes.error())
                .isEqualTo("payload (data) has bytes that are no text in UTF-8. For bytes use payloadBytes");
        assertThat(bytes.row()).contains("\"payloadBytes\":\"/w==\"");
        assertThat(text.row()).contains("\"payloadText\":\"{\"");
    }
}
