package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.intake;
import static dev.caravan.adopt.intake.SourceFixture.longestValue;
import static dev.caravan.adopt.intake.SourceFixture.read;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static dev.caravan.adopt.intake.SourceFixture.storedKeys;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestMariaDb;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The statements on a real MariaDB, with its own driver and with that of MySQL. */
class SourceMariaDbIT {
    private static final String MARIADB = "mariadb";
    private static final String MYSQL = "mysql";

    private final MariaDbServer server = TestMariaDb.server();
    private String database;
    private Connection connection;

    @BeforeEach
    void create() throws SQLException {
        database = server.createDatabase();
    }

    @AfterEach
    void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }

    private void connect(String driver, String... statements) throws SQLException {
        if (connection != null) {
            connection.close();
        }
        String url = driver.equals(MYSQL) ? server.mysqlUrl(database) : server.url(database);
        connection = DriverManager.getConnection(url, server.user(), server.password());
        execute(connection, statements);
    }

    private static Intake outbox(String payload, String... more) {
        return shop(
                "outbox",
                "message: {aggregateType: \"'order'\", aggregateId: \"'1'\", type: \"'created'\", " + payload + "}",
                more);
    }

    private List<String> warnings(Intake intake) throws SQLException {
        return SourceFixture.warnings(intake, connection);
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void each_type_has_the_same_json_with_each_driver(String driver) throws SQLException {
        connect(
                driver,
                "create table outbox (id bigint primary key, state tinyint default 0, flag tinyint(1), odd tinyint(1), b1 bit(1), b8 bit(8),"
                        + " small smallint unsigned, big bigint unsigned, price decimal(20, 4), f float, d double, c char(5), v varchar(20), t longtext,"
                        + " bin binary(4), bl longblob, e enum('a', 'b'), s set('x', 'y'), dt date, tm time(3), dtm datetime(6), ts timestamp(3) null, y year,"
                        + " u uuid, ip inet6)",
                "insert into outbox values (7, 0, 1, 2, b'1', b'10000001', 65535, 18446744073709551615, 1234567890123456.1, 0.1, 1e300, 'ab', 'x ',"
                        + " 'ü😀', x'00ff0000', x'02', 'b', 'x,y', '2026-01-31', '-838:59:59.5', '2026-01-31 10:00:00.123456',"
                        + " '2026-07-31 10:00:00.5', 2026, '0A000000-0000-0000-0000-00000000000F', '::1')");

        SourceRow row = read(Source.of(outbox("payload: row", "timeZone: Europe/Berlin"), connection), connection)
                .rows()
                .get(0);

        assertThat(((SourceRow.Valid) row).payload())
                .contains(
                        "{\"id\":7,\"state\":0,\"flag\":true,\"odd\":2,\"b1\":true,\"b8\":129,\"small\":65535,\"big\":18446744073709551615,"
                                + "\"price\":1234567890123456.1000,\"f\":0.1,\"d\":1.0E+300,\"c\":\"ab\",\"v\":\"x \",\"t\":\"ü😀\",\"bin\":\"AP8AAA==\","
                                + "\"bl\":\"Ag==\",\"e\":\"b\",\"s\":\"x,y\",\"dt\":\"2026-01-31\",\"tm\":\"-838:59:59.500\","
                                + "\"dtm\":\"2026-01-31T10:00:00.123456+01:00\",\"ts\":\"2026-07-31T10:00:00.5+02:00\",\"y\":2026,"
                                + "\"u\":\"0a000000-0000-0000-0000-00000000000f\",\"ip\":\"::1\"}");
    }

    /** A relay with one driver may be replaced by one with the other while a batch is not marked. */
    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void keys_that_one_driver_has_read_are_found_by_the_other_and_give_the_same_message_ids(String driver)
            throws SQLException {
        connect(
                driver,
                "create table outbox (`key` varchar(20), `row` binary(16), n decimal(10, 2), u bigint unsigned, g uuid, f tinyint(1), c char(5), state int"
                        + " default 0, primary key (`key`, `row`, n, u, g, f, c))",
                "insert into outbox values ('Ab c', x'00112233445566778899aabbccddeeff', 1.10, 18446744073709551615, '0A000000-0000-0000-0000-00000000000F', 2, 'x', 0),"
                        + " ('it''s \\\\ \"q\"', x'00000000000000000000000000000000', -0.5, 1, '0A000000-0000-0000-0000-00000000000E', 1, 'ü', 0)");
        List<SourceRow> read =
                read(Source.of(outbox("payload: none"), connection), connection).rows();

        connect(driver.equals(MYSQL) ? MARIADB : MYSQL);
        Source other = Source.of(outbox("payload: none"), connection);
        List<RowKey> keys = storedKeys(read);

        assertThat(read(other, connection).rows().stream().map(row -> ((SourceRow.Valid) row).messageId()))
                .containsExactlyElementsOf(read.stream()
                        .map(row -> ((SourceRow.Valid) row).messageId())
                        .toList());
        assertThat(other.pending(connection, keys)).isEqualTo(2);
        assertThat(other.find(connection, keys)).hasSize(2);
        assertThat(other.mark(connection, keys)).isEqualTo(2);
        assertThat(other.pending(connection, keys)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void a_batch_of_large_rows_that_the_driver_streams_ends_early_and_its_connection_goes_on(String driver)
            throws SQLException {
        connect(
                driver,
                "set global max_allowed_packet = 67108864",
                "create table outbox (id bigint primary key, state int default 0, data longtext)",
                "insert into outbox select seq, 0, concat('\"', repeat('x', 4000000), '\"') from seq_1_to_20");
        connect(driver);
        Source source = Source.of(outbox("payload: data"), connection);

        assertThat(source.fetchSize())
                .as("the driver of MySQL streams with this number only, that of MariaDB keeps as many rows in memory")
                .isEqualTo(driver.equals(MYSQL) ? Integer.MIN_VALUE : 1);
        for (int batch = 0; batch < 4; batch++) {
            Source.Rows rows = read(source, connection);
            assertThat(rows.rows()).hasSize(5);
            assertThat(rows.more()).isTrue();
            assertThat(source.select())
                    .as("the driver would read the other rows only to drop them")
                    .endsWith(" limit 8");
            source.mark(connection, rows.rows().stream().map(SourceRow::key).toList());
        }
        assertThat(read(source, connection).rows()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void a_value_that_is_far_too_large_is_not_read_whatever_its_type(String driver) throws SQLException {
        connect(
                driver,
                "create table outbox (id bigint primary key, state int default 0, t longtext, b longblob, j json)",
                "insert into outbox (id, t) values (1, repeat('x', 5000000))",
                "insert into outbox (id, b) values (2, repeat('x', 5000000))",
                "insert into outbox (id, j) values (3, json_quote(repeat('x', 5000000)))",
                "insert into outbox (id, t, b, j) values (4, 'x', 'x', '1')");
        Source source = Source.of(outbox("payload: row", "maxPayload: 100kB"), connection);

        assertThat(longestValue(source, connection)).isLessThan(100);
        List<SourceRow> rows = read(source, connection).rows();
        assertThat(rows.subList(0, 3)).allSatisfy(row -> assertThat(((SourceRow.Rejected) row).error())
                .contains("has more than 100.0 kB, the limit maxPayload"));
        assertThat(rows.get(3)).isInstanceOf(SourceRow.Valid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void shapes_and_64_bits_are_values_of_a_row(String driver) throws SQLException {
        connect(
                driver,
                "create table outbox (id int primary key, state int default 0, g geometry, p point, b bit(64))",
                "insert into outbox values (1, 0, st_geomfromtext('POINT(1 2)'), point(1, 2), 18446744073709551615), (2, 0, null, null, null)");

        List<SourceRow> rows =
                read(Source.of(outbox("payload: row"), connection), connection).rows();

        assertThat(((SourceRow.Valid) rows.get(0)).payload())
                .contains(
                        "{\"id\":1,\"state\":0,\"g\":\"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==\",\"p\":\"AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==\",\"b\":18446744073709551615}");
        assertThat(((SourceRow.Valid) rows.get(1)).payload())
                .contains("{\"id\":2,\"state\":0,\"g\":null,\"p\":null,\"b\":null}");
    }

    @Test
    void a_text_in_double_quotes_may_be_empty() throws SQLException {
        connect(
                MARIADB,
                "create table outbox (id int primary key, receiver varchar(10))",
                "insert into outbox values (1, ''), (2, 'x')");
        Source source = Source.of(
                intake(
                        "intake: shop",
                        "dataSource: shopDb",
                        "table: outbox",
                        "pending: 'receiver = \"\"'",
                        "mark: 'receiver = \"x\"'",
                        "message: {aggregateType: '\"a\"', aggregateId: 'concat(\"\", \"x\")', type: '\"t\"', payload: none}"),
                connection);

        assertThat(read(source, connection).rows()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {MARIADB, MYSQL})
    void a_mark_of_a_full_batch_is_one_statement_that_looks_at_its_rows_only(String driver) throws SQLException {
        connect(
                driver,
                "create table outbox (a int, b int, state int default 0, primary key (a, b))",
                "insert into outbox (a, b, state) select seq div 100, seq mod 100, seq <= 90000 from seq_1_to_100000");
        Source source = Source.of(outbox("payload: none", "batch: 10000"), connection);
        List<RowKey> keys =
                read(source, connection).rows().stream().map(SourceRow::key).toList();

        long before = status("Handler_read_rnd_next");
        assertThat(source.mark(connection, keys)).isEqualTo(10_000);
        assertThat(status("Handler_read_rnd_next") - before)
                .as("rows that a scan of the table has read")
                .isLessThan(2_000);
        assertThat(source.pending(connection, keys)).isZero();
    }

    private long status(String name) throws SQLException {
        return Sql.rows(connection, "show session status like '" + name + "'", row -> row.getLong(2))
                .get(0);
    }

    @Test
    void a_table_without_transactions_and_a_missing_index_are_warnings() throws SQLException {
        connect(
                MARIADB,
                "create table outbox (id bigint primary key, seq bigint, state int default 0) engine = MyISAM",
                "create index outbox_pending on outbox (state, seq)");
        assertThat(warnings(outbox("payload: row", "order: seq")))
                .containsExactly(
                        "outbox is a table of MyISAM, which has no transactions: rows are copied before their transaction commits, and stay when it"
                                + " fails. Run: alter table outbox engine = InnoDB");

        execute(connection, "alter table outbox engine = InnoDB", "drop index outbox_pending on outbox");
        String missing =
                "no index serves pending and order: each read looks at all rows. Run: create index outbox_pending on outbox (state, seq)";
        assertThat(warnings(outbox("payload: row", "order: seq"))).containsExactly(missing);

        execute(connection, missing.substring(missing.indexOf("create index")));
        assertThat(warnings(outbox("payload: row", "order: seq"))).isEmpty();
        assertThat(warnings(outbox("payload: row", "order: seq", "batch: 10000")))
                .isEmpty();
    }

    @Test
    void the_plan_shows_what_an_index_cannot_be_used_for() throws SQLException {
        connect(
                MARIADB,
                "create table outbox (id bigint primary key, seq bigint, state varchar(10), index outbox_pending (state, seq))",
                "insert into outbox select seq, seq, '1' from seq_1_to_100000",
                "analyze table outbox");

        assertThat(warnings(outbox("payload: row", "order: seq")))
                .as("a number is compared with each text")
                .hasSize(1)
                .allMatch(warning -> warning.startsWith("the plan of the read looks at about "));
        assertThat(warnings(intake(
                        "intake: shop",
                        "dataSource: shopDb",
                        "table: outbox",
                        "pending: state = '0'",
                        "order: seq",
                        "mark: state = '1'",
                        "message: {aggregateType: state, aggregateId: id, type: state}")))
                .isEmpty();
    }

    /** An index on the condition would lead to the new rows of open transactions, and wait for their end. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id bigint auto_increment primary key | id | 20000 | 1000",
                "id bigint auto_increment primary key | id | 0 | 10",
                "id char(36) primary key default (uuid()) | id | 0 | 100",
                "a int default 1, id bigint auto_increment unique, primary key (a, id) | a, id | 20000 | 1000"
            })
    void a_mark_does_not_wait_for_a_transaction_that_is_inserting_rows(
            String columns, String key, int marked, int pending) throws SQLException {
        connect(
                MARIADB,
                "create table outbox (state int not null default 0, data varchar(200), " + columns + ")",
                "create index outbox_pending on outbox (state, id)",
                "insert into outbox (state, data) select 1, repeat('x', 200) from seq_1_to_20000 limit " + marked,
                "insert into outbox (data) select 'x' from seq_1_to_" + pending,
                "analyze table outbox",
                "set session innodb_lock_wait_timeout = 1");
        Source source = Source.of(outbox("payload: none", "batch: 1000", "key: [" + key + "]"), connection);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try (Connection application =
                DriverManager.getConnection(server.url(database), server.user(), server.password())) {
            application.setAutoCommit(false);
            execute(application, "insert into outbox (data) values ('open'), ('open'), ('open')");
            List<RowKey> keys =
                    read(source, connection).rows().stream().map(SourceRow::key).toList();
            connection.setAutoCommit(false);

            assertThat(source.mark(connection, keys)).isEqualTo(pending);

            connection.commit();
            application.rollback();
        }
    }
}
