package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ObjectInputStream;
import java.io.Serializable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JSON, the text and the message id that a value of a type becomes. */
class SourceTypesTest {
    private Connection connection;

    private SourceRow.Valid row(String mode, String type, String value, String message, String... more)
            throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:;MODE=" + mode);
        execute(
                connection,
                "create table outbox (id int primary key, state int default 0, v " + type + ")",
                "insert into outbox (id, v) values (1, " + value + ")");
        SourceRow row = read(Source.of(shop("outbox", "message:\n" + message, more), connection), connection)
                .rows()
                .get(0);
        assertThat(row).isInstanceOf(SourceRow.Valid.class);
        return (SourceRow.Valid) row;
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            nullValues = "-",
            value = {
                "bigint                      | 9223372036854775807              | 9223372036854775807",
                "decimal(10, 2)              | 1.1                              | 1.10",
                "decimal(40, 20)             | 12345678901234567890.12345678901 | 12345678901234567890.12345678901000000000",
                "double precision            | 0.1                              | 0.1",
                "double precision            | 1e300                            | 1.0E+300",
                "real                        | 0.1                              | 0.1",
                "boolean                     | true                             | true",
                "tinyint                     | 1                                | 1",
                "varchar(20)                 | ' it''s \"q\" '                  | ^\" it's \\\"q\\\" \"^",
                "char(5)                     | 'ab'                             | ^\"ab   \"^",
                "clob                        | 'text'                           | ^\"text\"^",
                "json                        | json '{\"a\": 1.10}'             | {\"a\":1.10}",
                "json                        | json '\"text\"'                  | ^\"text\"^",
                "binary(4)                   | x'00ff0001'                      | ^\"AP8AAQ==\"^",
                "blob                        | x'00ff'                          | ^\"AP8=\"^",
                "uuid                        | '0A000000-0000-0000-0000-00000000000F' | ^\"0a000000-0000-0000-0000-00000000000f\"^",
                "date                        | '2026-01-31'                     | ^\"2026-01-31\"^",
                "time(2)                     | '10:00:00.25'                    | ^\"10:00:00.25\"^",
                "timestamp(9)                | '2026-07-31 10:00:00.123456789'  | ^\"2026-07-31T10:00:00.123456789\"^",
                "timestamp                   | '2026-07-31 10:00:00'            | ^\"2026-07-31T10:00:00\"^",
                "timestamp with time zone    | '2026-07-31 10:00:00.5+02:00'    | ^\"2026-07-31T08:00:00.5Z\"^",
                "int array                   | array[1, 2]                      | ^\"[1, 2]\"^",
                "interval day                | interval '3' day                 | ^\"INTERVAL '3' DAY\"^",
                "enum('a', 'b')              | 'b'                              | ^\"b\"^",
                "varchar(20)                 | null                             | null"
            })
    void in_an_object(String type, String value, String json) throws SQLException {
        assertThat(row(
                                "REGULAR",
                                type,
                                value,
                                "  aggregateType: \"'a'\"\n  aggregateId: id\n  type: \"'t'\"\n  payload: [v]")
                        .payload())
                .contains("{\"v\":" + json + "}");
    }

    @Test
    void a_time_without_a_zone_gets_that_of_the_file() throws SQLException {
        String message =
                "  aggregateType: \"'a'\"\n  aggregateId: id\n  type: \"'t'\"\n  payload: [v]\n  headers: {at: v}";

        SourceRow.Valid summer =
                row("REGULAR", "timestamp", "'2026-07-31 10:00:00'", message, "timeZone: Europe/Berlin");
        assertThat(summer.payload()).contains("{\"v\":\"2026-07-31T10:00:00+02:00\"}");
        assertThat(summer.headers()).contains("{\"at\":\"2026-07-31T10:00:00+02:00\"}");
        connection.close();
        assertThat(row("REGULAR", "timestamp", "'2026-01-31 10:00:00'", message, "timeZone: UTC")
                        .payload())
                .contains("{\"v\":\"2026-01-31T10:00:00Z\"}");
        connection.close();
        assertThat(row(
                                "REGULAR",
                                "timestamp with time zone",
                                "'2026-01-31 10:00:00+01:00'",
                                message,
                                "timeZone: Asia/Tokyo")
                        .payload())
                .contains("{\"v\":\"2026-01-31T09:00:00Z\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "int            | 7                                      | 7     | 7",
                "decimal(10, 2) | 1.1                                    | 1.10  | 1.10",
                "boolean        | true                                   | true  | true",
                "char(5)        | 'ab'                                   | ab    | ^\"ab   \"^",
                "varchar(5)     | 'ab '                                  | ^ab ^ | ^\"ab \"^",
                "varbinary(9)   | x'c3bc'                                | ü     | ^\"w7w=\"^",
                "varbinary(9)   | x'c3'                                  | c3    | ^\"ww==\"^",
                "binary(16)     | x'00112233445566778899aabbccddeeff'    | 00112233-4455-6677-8899-aabbccddeeff | ^\"ABEiM0RVZneImaq7zN3u/w==\"^",
                "uuid           | '0A000000-0000-0000-0000-00000000000F' | 0a000000-0000-0000-0000-00000000000f | ^\"0a000000-0000-0000-0000-00000000000f\"^",
                "date           | '2026-01-31'                           | 2026-01-31 | ^\"2026-01-31\"^"
            })
    void as_a_key_and_as_a_header(String type, String value, String key, String header) throws SQLException {
        SourceRow.Valid row = row(
                "REGULAR",
                type,
                value,
                "  aggregateType: v\n  aggregateId: v\n  type: v\n  payload: none\n  headers: {h: v}");

        assertThat(row.aggregateType()).isEqualTo(key);
        assertThat(row.aggregateId()).isEqualTo(key);
        assertThat(row.type()).isEqualTo(key);
        assertThat(row.headers()).contains("{\"h\":" + header + "}");
    }

    @ParameterizedTest
    @CsvSource({
        "uuid, 0A000000-0000-0000-0000-00000000000F, true",
        "varchar(40), 0A000000-0000-0000-0000-00000000000F, true",
        "char(40), 0A000000-0000-0000-0000-00000000000F, true",
        "varchar(40), 0A000000000000000000000000000F, false",
        "int, 7, false",
        "varchar(40), seven, false"
    })
    void as_the_message_id(String type, String value, boolean used) throws SQLException {
        UUID id = row("REGULAR", type, "'" + value + "'", "  id: v\n  aggregateType: id\n  aggregateId: id\n  type: id")
                .messageId();

        assertThat(id)
                .hasToString(
                        used
                                ? "0a000000-0000-0000-0000-00000000000f"
                                : RowKey.messageId("shop", value).toString());
    }

    @Test
    void sixteen_bytes_are_a_message_id() throws SQLException {
        assertThat(row(
                                "MySQL",
                                "binary(16)",
                                "x'0A00000000000000000000000000000F'",
                                "  id: v\n  aggregateType: id\n  aggregateId: id\n  type: id")
                        .messageId())
                .hasToString("0a000000-0000-0000-0000-00000000000f");
    }

    @Test
    void an_empty_text_of_oracle_is_null() throws SQLException {
        SourceRow.Valid row = row(
                "Oracle",
                "varchar(10)",
                "''",
                "  aggregateType: id\n  aggregateId: id\n  type: id\n  payload: v\n  headers: {v: v}");

        assertThat(row.payload()).isEmpty();
        assertThat(row.headers()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "blob         | x'00ff' | 00ff",
                "varchar(10)  | 'ü'     | c3bc",
                "int          | 7       | 37",
                "varchar(10)  | ''      | ^^"
            })
    void as_bytes(String type, String value, String bytes) throws SQLException {
        SourceRow.Valid row =
                row("REGULAR", type, value, "  aggregateType: id\n  aggregateId: id\n  type: id\n  payloadBytes: v");

        assertThat(row.payloadBytes().map(content -> HexFormat.of().formatHex(content)))
                .contains(bytes);
        assertThat(row.payload()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "clob       | ' {\"a\": 1.10} '  | ^ {\"a\": 1.10} ^",
                "varbinary  | x'7b7d'            | {}",
                "json       | json '[1, 2.0]'    | [1,2.0]",
                "int        | 7                  | 7",
                "boolean    | true               | true"
            })
    void as_json_that_is_taken_as_it_is(String type, String value, String payload) throws SQLException {
        assertThat(row("REGULAR", type, value, "  aggregateType: id\n  aggregateId: id\n  type: id\n  payload: v")
                        .payload())
                .contains(payload);
    }

    /** What a driver creates when it makes an object of a value. */
    static final class Trap implements Serializable {
        private static final long serialVersionUID = 1;
        static boolean sprung;

        private void readObject(ObjectInputStream from) {
            sprung = true;
        }
    }

    /** The database chooses the types of its columns, and what is in them. */
    @Test
    void no_object_is_made_of_what_the_database_returns() throws Exception {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        execute(
                connection,
                "create table outbox (id int primary key, state int default 0, v java_object)",
                "insert into outbox (id) values (1)");
        try (PreparedStatement update = connection.prepareStatement("update outbox set v = ?")) {
            update.setObject(1, new Trap(), Types.JAVA_OBJECT);
            update.execute();
        }
        Trap.sprung = false;
        Source source = Source.of(
                shop("outbox", "message: {aggregateType: \"'a'\", aggregateId: id, type: \"'t'\", payload: [v]}"),
                connection);

        assertThat(read(source, connection).rows()).hasSize(1);

        assertThat(Trap.sprung).isFalse();
    }

    @Test
    void a_number_with_more_zeros_than_the_memory_has_is_written_with_an_exponent() throws SQLException {
        assertThat(row(
                                "REGULAR",
                                "decfloat",
                                "1e999999999",
                                "  aggregateType: \"'a'\"\n  aggregateId: v\n  type: \"'t'\"\n  payload: none")
                        .aggregateId())
                .isEqualTo("1E+999999999");
    }

    /** A view, a proxy or another server may ignore the limit of the statement. */
    @Test
    void no_more_rows_are_read_than_were_asked_for() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        execute(connection, "create table outbox (id int primary key, state int default 0)");
        execute(connection, "insert into outbox (id) select x from system_range(1, 100)");
        Source source = Source.of(
                shop(
                        "outbox",
                        "message: {aggregateType: \"'a'\", aggregateId: id, type: \"'t'\", payload: none}",
                        "batch: 10"),
                connection);
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(source.select().replaceFirst("(?i) (limit|fetch) .*", ""))) {
            assertThat(source.read(rows).rows()).hasSize(10);
        }
    }
}
