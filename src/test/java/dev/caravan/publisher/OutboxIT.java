package dev.caravan.publisher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.camel.outbox.TestRelay;
import dev.caravan.database.Sql;
import dev.caravan.lab.servers.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.xa.PGXADataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxIT {
    private static final String HOSTILE = "a\"b\\c\n\t\u0001 'é' \ud83d\ude00 \u2028 </script> ${x} %s";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Outbox publisher = Outbox.onSearchPath();
    private TestOutbox database;

    @BeforeEach
    void create_the_tables() throws Exception {
        database = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @Test
    void a_message_is_committed_with_the_business_data_or_not_at_all() throws Exception {
        database.execute("create table orders (id text primary key)");
        try (Connection connection = transaction()) {
            Sql.execute(connection, "insert into orders values ('1')");
            publisher.publish(connection, order("1"));
            connection.rollback();
            Sql.execute(connection, "insert into orders values ('2')");
            publisher.publish(connection, order("2"));
            assertThat(database.number("select count(*) from outbox")).isZero();
            connection.commit();
        }

        assertThat(database.text("select aggregate_id from outbox")).isEqualTo("2");
        assertThat(database.text("select id from orders")).isEqualTo("2");
    }

    @Test
    void every_component_arrives_as_it_was_given() throws Exception {
        UUID id = UUID.randomUUID();
        String payload = JSON.writeValueAsString(Map.of("text", HOSTILE));
        Message message =
                new Message(id, HOSTILE, HOSTILE, HOSTILE, payload, null, Map.of(HOSTILE, HOSTILE, "tenant", ""));
        try (Connection connection = transaction()) {
            assertThat(publisher.publish(connection, message)).isEqualTo(id);
            assertThat(publisher.publish(connection, List.of(message))).containsExactly(id);
            connection.commit();
        }

        database.jdbc().query("select * from outbox", row -> {
            assertThat(row.getObject("message_id", UUID.class)).isEqualTo(id);
            assertThat(List.of(row.getString("aggregate_type"), row.getString("aggregate_id"), row.getString("type")))
                    .containsOnly(HOSTILE);
            assertThat(row.getString("payload")).isEqualTo(payload);
            assertThat(headers(row.getString("headers"))).isEqualTo(Map.of(HOSTILE, HOSTILE, "tenant", ""));
        });
        assertThat(database.number("select count(*) from outbox")).isEqualTo(2);
    }

    @Test
    void a_message_may_have_no_payload_and_no_headers() throws Exception {
        try (Connection connection = transaction()) {
            Message message = Message.of("order", "1", "order.deleted", null);
            publisher.publish(connection, message);
            publisher.publish(connection, List.of(message));
            connection.commit();
        }

        assertThat(database.number("select count(*) from outbox where payload is null and headers is null"))
                .isEqualTo(2);
    }

    @Test
    void bytes_arrive_unchanged_alone_and_among_messages_of_json() throws Exception {
        byte[] bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Message binary = Message.ofBytes("order", "1", "order.created", bytes)
                .withHeader("Content-Type", "application/x-protobuf");
        try (Connection connection = transaction()) {
            publisher.publish(connection, binary);
            publisher.publish(
                    connection,
                    List.of(order("2"), binary, Message.ofBytes("order", "3", "order.created", new byte[0])));
            connection.commit();
        }

        assertThat(database.jdbc().queryForList("select payload_bytes from outbox order by id", byte[].class))
                .containsExactly(bytes, null, bytes, new byte[0]);
        assertThat(database.number("select count(*) from outbox where (payload is null) = (payload_bytes is not null)"))
                .isEqualTo(4);
        assertThat(database.text("select headers ->> 'Content-Type' from outbox order by id"))
                .isEqualTo("application/x-protobuf");
    }

    @Test
    void a_message_with_both_payloads_is_refused() {
        assertThatThrownBy(() -> new Message(UUID.randomUUID(), "a", "b", "c", "{}", new byte[1], Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both are given");
    }

    @Test
    void a_list_is_published_in_its_order() throws Exception {
        List<Message> messages =
                IntStream.range(0, 1000).mapToObj(n -> order("" + n)).toList();
        try (Connection connection = transaction()) {
            assertThat(publisher.publish(connection, messages))
                    .containsExactlyElementsOf(
                            messages.stream().map(Message::id).toList());
            assertThat(publisher.publish(connection, List.of())).isEmpty();
            connection.commit();
        }

        assertThat(database.jdbc().queryForList("select aggregate_id from outbox order by id", String.class))
                .containsExactlyElementsOf(
                        messages.stream().map(Message::aggregateId).toList());
    }

    @Test
    void a_connection_without_a_transaction_is_refused() throws Exception {
        try (Connection connection = database.unpooled().getConnection()) {
            assertThatThrownBy(() -> publisher.publish(connection, order("1")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            assertThatThrownBy(() -> publisher.publish(connection, List.of(order("1"))))
                    .isInstanceOf(IllegalStateException.class);
        }

        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    @Test
    void a_list_with_one_message_twice_is_refused() throws Exception {
        Message message = order("1");
        try (Connection connection = transaction()) {
            assertThatThrownBy(() -> publisher.publish(connection, List.of(message, order("2"), message)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(message.id().toString());
            connection.commit();
        }

        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    @Test
    void what_the_database_refuses_is_an_error_and_nothing_is_written() throws Exception {
        List<Message> refused = List.of(
                Message.of("order", "1", "order.created", "{not json"),
                Message.of("order", "nul\0", "order.created", "{}"),
                order("1").withHeader("nul", "\0"));
        for (Message message : refused) {
            try (Connection connection = transaction()) {
                assertThatThrownBy(() -> publisher.publish(connection, message)).isInstanceOf(SQLException.class);
                connection.rollback();
                assertThatThrownBy(() -> publisher.publish(connection, List.of(order("2"), message)))
                        .isInstanceOf(SQLException.class);
                connection.rollback();
            }
        }

        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    /** The longest key that the table accepts is the longest that a message accepts. */
    @Test
    void the_bound_of_the_key_is_that_of_the_table() throws Exception {
        String longest = "é".repeat((1000 - "order".length() - "order.created".length()) / 2);
        try (Connection connection = transaction()) {
            publisher.publish(connection, order(longest));
            connection.commit();
        }

        assertThatThrownBy(() -> order(longest + "éé")).hasMessageContaining("at most 1000");
        assertThatThrownBy(() -> database.insert(longest + "éé")).hasMessageContaining("bounded");
    }

    @Test
    void the_role_of_the_application_needs_only_insert() throws Exception {
        String role = database.role("application");
        database.execute("grant insert on outbox to " + role);
        try (Connection connection =
                database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            connection.setAutoCommit(false);
            publisher.publish(connection, order("1"));
            publisher.publish(connection, List.of(order("2")));
            connection.commit();
        }

        assertThat(database.number("select count(*) from outbox")).isEqualTo(2);
    }

    @Test
    void the_outbox_of_another_schema_can_be_named() throws Exception {
        database.execute(
                "create schema \"odd \"\"name\"; create table \"odd \"\"name\".outbox (like outbox including all)");
        try (Connection connection = transaction()) {
            Outbox.inSchema("odd \"name").publish(connection, order("1"));
            connection.commit();
        }

        assertThat(database.number("select count(*) from \"odd \"\"name\".outbox"))
                .isOne();
        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    @Test
    void in_a_transaction_of_spring() {
        DataSource dataSource = database.dataSource();
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        transaction.executeWithoutResult(status -> publishWithSpring(dataSource, order("1")));
        transaction.executeWithoutResult(status -> {
            publishWithSpring(dataSource, order("2"));
            status.setRollbackOnly();
        });

        assertThat(database.jdbc().queryForList("select aggregate_id from outbox", String.class))
                .containsExactly("1");
        // a connection beside the transaction: the usual mistake
        transaction.executeWithoutResult(status -> assertThatThrownBy(() -> {
                    try (Connection other = dataSource.getConnection()) {
                        publisher.publish(other, order("3"));
                    }
                })
                .isInstanceOf(IllegalStateException.class));
    }

    private void publishWithSpring(DataSource dataSource, Message message) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            publisher.publish(connection, message);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Like a connection that a transaction manager of Jakarta enlists. */
    @Test
    void in_a_transaction_of_xa() throws Exception {
        PGXADataSource dataSource = new PGXADataSource();
        dataSource.setUrl(database.url());
        dataSource.setUser(database.connection().get("caravan.db.user"));
        dataSource.setPassword(database.connection().get("caravan.db.password"));
        var session = dataSource.getXAConnection();
        Connection connection = session.getConnection();
        XAResource resource = session.getXAResource();
        Xid xid = new TestXid();
        resource.start(xid, XAResource.TMNOFLAGS);
        publisher.publish(connection, order("1"));
        resource.end(xid, XAResource.TMSUCCESS);
        assertThat(database.number("select count(*) from outbox")).isZero();
        resource.commit(xid, true);
        session.close();

        assertThat(database.number("select count(*) from outbox")).isOne();
    }

    private record TestXid() implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {1};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {2};
        }
    }

    @Test
    void the_relay_delivers_it() throws Exception {
        String traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        Message message = order("1").withHeader("tenant", "blue").withTraceparent(traceparent);
        Map<String, Map<String, Object>> arrived = new ConcurrentHashMap<>();
        try (TestRelay relay = TestRelay.start(
                        database,
                        "orders",
                        exchange -> arrived.put(
                                exchange.getMessage().getBody(String.class),
                                Map.copyOf(exchange.getMessage().getHeaders())));
                Connection connection = transaction()) {
            publisher.publish(connection, message);
            connection.commit();
            Await.until("the message arrives", Duration.ofSeconds(20), () -> !arrived.isEmpty());
        }

        assertThat(arrived.get("{}"))
                .containsEntry("id", message.id().toString())
                .containsEntry("aggregate-type", "order")
                .containsEntry("aggregate-id", "1")
                .containsEntry("type", "order.created")
                .containsEntry("tenant", "blue")
                .containsEntry("traceparent", traceparent);
    }

    private static Map<String, String> headers(String json) {
        try {
            return JSON.readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new AssertionError(json, e);
        }
    }

    private static Message order(String id) {
        return Message.of("order", id, "order.created", "{}");
    }

    private Connection transaction() throws SQLException {
        Connection connection = database.unpooled().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }
}
