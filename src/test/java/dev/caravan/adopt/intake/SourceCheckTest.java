package dev.caravan.adopt.intake;

import static dev.caravan.adopt.intake.SourceFixture.execute;
import static dev.caravan.adopt.intake.SourceFixture.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a file is found before a row is read. */
class SourceCheckTest {
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        execute(
                connection,
                "create table orders (id int primary key, seq int not null, state int default 0, at timestamp, f double precision, sent boolean, note clob,"
                        + " topic varchar(50), msg_key varchar(50), data varchar(50))",
                "insert into orders (id, seq) values (1, 1)",
                "create view orders_view as select * from orders");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private static Intake orders(String... more) {
        return shop("orders", "message: {aggregateType: topic, aggregateId: msg_key, type: topic}", more);
    }

    /** The lines and texts of the problems. */
    private List<String> problems(String... more) {
        IntakeRefusal refusal = catchThrowableOfType(IntakeRefusal.class, () -> Source.of(orders(more), connection));
        return refusal == null
                ? List.of()
                : Arrays.stream(refusal.getMessage().split("\n"))
                        .map(line -> line.replaceFirst("^.*?shop\\.yaml:", ""))
                        .toList();
    }

    private List<String> warnings(String... more) throws SQLException {
        return SourceFixture.warnings(orders(more), connection);
    }

    @Test
    void each_field_that_fails_is_a_problem_with_the_message_of_the_database() {
        assertThat(problems(
                        "pending: stat = 0",
                        "order: [sequ, id]",
                        "mark: state = 1, sent_on = now()",
                        "message:",
                        "  id: uid",
                        "  aggregateType: \"'order'\"",
                        "  aggregateId: keyy",
                        "  type: lower(topic",
                        "    )",
                        "  payload: [data, body]",
                        "  headers: {h: nothing}",
                        "outcome:",
                        "  subscription: orders",
                        "  delivered: states = 2",
                        "  dead: problem = :error"))
                .containsExactlyInAnyOrder(
                        "4: pending fails: Column \"STAT\" not found",
                        "5: order fails: Column \"SEQU\" not found",
                        "6: mark fails: Column \"SENT_ON\" not found",
                        "8: message.id fails: Column \"UID\" not found",
                        "10: message.aggregateId fails: Column \"KEYY\" not found",
                        "13: message.payload fails: Column \"BODY\" not found",
                        "14: message.headers.h fails: Column \"NOTHING\" not found",
                        "17: outcome.delivered fails: Column \"STATES\" not found",
                        "18: outcome.dead fails: Column \"PROBLEM\" not found");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "table: order                 | 6: table fails: Syntax error",
                "table: ordres                | 6: table fails: Table \"ORDRES\" not found",
                "key: [id, ix]                | 6: key fails: Column \"IX\" not found",
                "key: seq                     | 6: no unique index shows that (seq) identifies a row. Two rows with the same key would be marked when one is copied, and a message would be lost. Name other columns, or run: create unique index orders_key on orders (seq)",
                "key: [id, at]                | 6: the column at of the key is a time, and drivers do not compare times exactly. Name other columns that identify a row",
                "key: [id, f]                 | 6: the column f of the key is a binary floating-point number, and these are not compared exactly. Name other columns that identify a row",
                "key: [id, note]              | 6: the column note of the key is a large object, and these are not compared. Name other columns that identify a row",
                "key: abs(id)                 | 6: abs(id) is not a column. A row is identified by columns",
                "mark: state = 1,             | 6: mark fails: Syntax error in SQL statement \"update orders set state = 1, [*]where"
            })
    void a_wrong_value_is_refused(String line, String problem) {
        assertThat(problems(line))
                .anyMatch(each -> each.replaceFirst("^5:", "6:").startsWith(problem));
    }

    @Test
    void a_table_without_a_primary_key_needs_a_key() throws SQLException {
        execute(connection, "create table bare (id int, seq int, topic varchar(50), msg_key varchar(50), state int)");

        assertThat(problems("table: bare"))
                .containsExactly(
                        "5: bare has no primary key that the driver finds. Name the columns that identify a row, for example key: id");
        assertThat(problems("table: bare", "key: id")).hasSize(1).allMatch(each -> each.contains("no unique index"));
        execute(connection, "create unique index bare_id on bare (id)");
        assertThat(problems("table: bare", "key: id")).isEmpty();
        assertThat(problems("table: bare", "key: [seq, bare.ID]")).isEmpty();
        assertThat(problems("table: orders_view", "key: id"))
                .as("a view has no index")
                .isEmpty();
    }

    @Test
    void a_payload_that_is_never_json_is_refused() {
        String message = "message: {aggregateType: topic, aggregateId: msg_key, type: topic, payload: ";

        assertThat(problems(message + "at}"))
                .containsExactly(
                        "6: at is of the type timestamp and no JSON. For an object write it in brackets: payload: [at]");
        assertThat(problems(message + "[data, upper(data)]}"))
                .containsExactly("6: upper(data) is not a column: its field would have no name");
        assertThat(problems(message + "[data, orders.data]}"))
                .containsExactly("6: the column orders.data is given twice");
        assertThat(problems(message + "data}")).isEmpty();
    }

    @Test
    void the_check_changes_nothing_and_leaves_the_connection_as_it_was() throws SQLException {
        assertThatCode(() -> Source.of(orders("mark: delete", "pending: 1 = 1"), connection))
                .doesNotThrowAnyException();

        assertThat(connection.getAutoCommit()).isTrue();
        assertThat(Sql.number(connection, "select count(*) from orders where state = 0"))
                .isEqualTo(1);
    }

    @Test
    void a_database_that_is_away_is_not_a_problem_of_the_file() throws SQLException {
        connection.close();

        assertThatThrownBy(() -> Source.of(orders(), connection)).isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "create index i on orders (state, seq)       | pending: state = 0                  | order: seq        | true",
                "create index i on orders (state, id)        | pending: state = 0                  | batch: 1          | true",
                "create index i on orders (state, at, seq)   | pending: state = 0 and at < now()   | order: seq        | true",
                "create index i on orders (state)            | pending: state = 0                  | order: seq        | false",
                "create index i on orders (seq)              | pending: state = 0                  | order: seq        | false",
                "create index i on orders (topic, state)     | pending: state = 0                  | order: seq        | false",
                "create index i on orders (seq)              | pending: 1 = 1                      | order: seq        | true",
                "create index i on orders (state, seq)       | pending: state = 0                  | order: lower(topic) | true",
                "create index i on orders (state, seq)       | pending: ORDERS.\"STATE\" is null   | order: \"SEQ\"    | true"
            })
    void an_index_that_serves_the_read_is_recognized(String index, String pending, String order, boolean serves)
            throws SQLException {
        execute(connection, index);

        assertThat(warnings(pending, order).isEmpty()).isEqualTo(serves);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "state = 0                      | seq          | state, seq",
                "at < now() and state = 0       | seq          | state, seq",
                "at < now()                     | [seq, id]    | at, seq, id",
                "\"STATE\" in (0, 3)            | id           | \"STATE\", id",
                "not sent                       | seq          | sent, seq",
                "coalesce(state, 0) = 0         | seq          | state, seq"
            })
    void the_statement_that_creates_the_index_is_named(String pending, String order, String columns)
            throws SQLException {
        assertThat(warnings("pending: '" + pending + "'", "order: " + order))
                .containsExactly(
                        "no index serves pending and order: each read looks at all rows. Run: create index orders_pending on orders ("
                                + columns + ")");
    }

    @Test
    void a_key_that_can_be_null_is_a_warning() throws SQLException {
        execute(
                connection,
                "create table bare (id int unique, seq int, topic varchar(50), msg_key varchar(50), state int)",
                "create index bare_pending on bare (state, id)");

        assertThat(warnings("table: bare", "key: id"))
                .containsExactly(
                        "the column id of the key can be null. A pending row without a value stops the intake: make the column not null");
    }
}
