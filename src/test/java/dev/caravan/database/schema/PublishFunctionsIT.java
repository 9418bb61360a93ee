package dev.caravan.database.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PGobject;
import org.springframework.dao.DataAccessException;

class PublishFunctionsIT {
    private static final String HOSTILE = "a\"b\\c\n 'é' \ud83d\ude00 $body$ %I";

    private static final List<String> ARGUMENTS = List.of(
            "'order', '1', 'order.created'",
            "'order', '1', 'order.created', null",
            "'order', '1', 'order.created', '{}'",
            "'order', '1', 'order.created', '{}', '{}'",
            "'order', '1', 'order.created', '{}'::json",
            "'order', '1', 'order.created', jsonb_build_object('a', 1), '{}'",
            "'order', '1', 'order.created', row_to_json(row(1, 2))",
            "'order', '1', 'order.created', '{}', null, '00000000-0000-0000-0000-000000000001'",
            "aggregate_type => 'order', aggregate_id => '1', type => 'order.created', headers => '{}'");

    private static final List<String> ARGUMENTS_WITH_BYTES = List.of(
            "'order', '1', 'order.created', '\\x00ff'::bytea",
            "'order', '1', 'order.created', '\\x00ff'::bytea, '{}'",
            "'order', '1', 'order.created', '\\x00ff'::bytea, null, '00000000-0000-0000-0000-000000000002'",
            "'order', '1', 'order.created', payload => '\\x00ff'::bytea, message_id => gen_random_uuid()",
            "'order', '1', 'order.created', decode('AP8=', 'base64'), jsonb_build_object('a', 1)");

    private TestOutbox database;

    @BeforeEach
    void create_the_tables() throws Exception {
        database = TestOutbox.create();
    }

    @AfterEach
    void close() throws Exception {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json", "jsonb", "varchar"})
    void no_type_of_a_driver_needs_a_cast(String type) throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection connection = database.unpooled().getConnection();
                var publish = connection.prepareStatement("select outbox_publish(?, ?, ?, ?, ?, ?)")) {
            publish.setString(1, HOSTILE);
            publish.setString(2, HOSTILE);
            publish.setString(3, HOSTILE);
            publish.setObject(4, json(type, "{\"total\": 1.50}"));
            publish.setObject(5, json(type, "{\"tenant\": \"blue\"}"));
            publish.setObject(6, id);
            try (var row = publish.executeQuery()) {
                row.next();
                assertThat(row.getObject(1, UUID.class)).isEqualTo(id);
            }
        }

        assertThat(rows())
                .containsExactly(id + "|" + HOSTILE + "|" + HOSTILE + "|" + HOSTILE
                        + "|{\"total\": 1.50}|{\"tenant\": \"blue\"}");
    }

    private static PGobject json(String type, String value) throws SQLException {
        PGobject object = new PGobject();
        object.setType(type);
        object.setValue(value);
        return object;
    }

    @Test
    void arguments_may_be_left_out_or_named() {
        for (String arguments : ARGUMENTS) {
            String id = database.text("select outbox_publish(" + arguments + ")");

            assertThat(database.text("select message_id from outbox order by id desc limit 1"))
                    .as(arguments)
                    .isEqualTo(id);
        }
    }

    /** No cast: JDBC tells the server that a parameter is bytea. */
    @ParameterizedTest
    @ValueSource(strings = {"text", "json", "jsonb", "varchar"})
    void bytes_with_headers_of_any_type_need_no_cast(String type) throws Exception {
        byte[] payload = {0, -1, 39, 92};
        try (Connection connection = database.unpooled().getConnection();
                var publish = connection.prepareStatement("select outbox_publish(?, ?, ?, ?, ?)");
                var bare = connection.prepareStatement("select outbox_publish(?, ?, ?, ?)")) {
            for (var statement : List.of(publish, bare)) {
                statement.setString(1, "order");
                statement.setString(2, "1");
                statement.setString(3, "order.created");
            }
            publish.setBytes(4, payload);
            publish.setObject(5, json(type, "{\"tenant\": \"blue\"}"));
            publish.execute();
            bare.setObject(4, payload);
            bare.execute();
            bare.setString(4, "{\"n\": 1}");
            bare.execute();
            bare.setObject(4, "{\"n\": 2}");
            bare.execute();
            bare.setNull(4, java.sql.Types.OTHER);
            bare.execute();
        }

        assertThat(database.jdbc().queryForList("select payload_bytes from outbox order by id", byte[].class))
                .containsExactly(payload, payload, null, null, null);
        assertThat(database.jdbc().queryForList("select payload::text from outbox order by id", String.class))
                .containsExactly(null, null, "{\"n\": 1}", "{\"n\": 2}", null);
        assertThat(database.text("select headers ->> 'tenant' from outbox order by id"))
                .isEqualTo("blue");
    }

    @Test
    void a_literal_of_bytes_needs_its_type() {
        for (String arguments : ARGUMENTS_WITH_BYTES) {
            String id = database.text("select outbox_publish(" + arguments + ")");

            assertThat(database.text("select concat_ws(' ', payload_bytes, message_id) from outbox"
                            + " order by id desc limit 1"))
                    .as(arguments)
                    .isEqualTo("\\x00ff " + id);
        }
    }

    @Test
    void many_messages_may_have_bytes() throws Exception {
        database.execute(
                "select outbox_publish_all('[{\"aggregate_type\": \"order\", \"aggregate_id\": \"1\", \"type\": \"a\","
                        + " \"payload_base64\": \"AP8=\"}, {\"aggregate_type\": \"order\", \"aggregate_id\": \"2\","
                        + " \"type\": \"a\", \"payload\": 1, \"payload_base64\": null}]')");

        assertThat(database.text(
                        "select string_agg(coalesce(payload_bytes::text, payload::text), ' ' order by id) from outbox"))
                .isEqualTo("\\x00ff 1");
    }

    @Test
    void a_message_is_part_of_the_transaction() throws Exception {
        try (var connection = database.begin("select outbox_publish('order', '1', 'order.created', '{}')")) {
            connection.rollback();
            connection.run("select outbox_publish('order', '2', 'order.created', '{}')");
            connection.commit();
        }

        assertThat(database.text("select string_agg(aggregate_id, ',') from outbox"))
                .isEqualTo("2");
    }

    @Test
    void the_caller_needs_insert_and_no_search_path() throws Exception {
        String role = database.role("application");
        database.execute("create schema hidden; grant usage on schema public to " + role);
        try (Connection connection =
                database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            String publish = "select public.outbox_publish('order', '1', 'order.created', '{}')";
            Sql.execute(connection, "set search_path = hidden");
            assertThatThrownBy(() -> Sql.execute(connection, publish)).hasMessageContaining("permission denied");
            database.execute("grant insert on outbox to " + role);
            Sql.execute(connection, publish);
            Sql.execute(
                    connection,
                    "select public.outbox_publish_all('[{\"aggregate_type\": \"order\", \"aggregate_id\": \"2\","
                            + " \"type\": \"order.created\"}]')");
        }

        assertThat(database.number("select count(*) from outbox")).isEqualTo(2);
    }

    /** With a right on the table it could choose an id far above the sequence, and a relay would halt all subscriptions. */
    @Test
    void rights_on_some_columns_are_sufficient_and_let_the_caller_choose_no_id() throws Exception {
        String role = database.role("application");
        database.execute(
                "grant insert (message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes)"
                        + " on outbox to " + role);
        try (Connection connection =
                database.unpooledAs(role, TestOutbox.PASSWORD_OF_ROLES).getConnection()) {
            Sql.execute(connection, "select public.outbox_publish('order', '1', 'order.created', '{}')");
            Sql.execute(connection, "select public.outbox_publish('order', '1', 'order.created', '\\x00'::bytea)");
            Sql.execute(
                    connection,
                    "select public.outbox_publish_all('[{\"aggregate_type\": \"order\", \"aggregate_id\": \"2\","
                            + " \"type\": \"order.created\"}]')");

            assertThatThrownBy(() -> Sql.execute(
                            connection,
                            "insert into outbox (id, aggregate_type, aggregate_id, type) overriding system value"
                                    + " values (500000, 'order', '1', 'order.created')"))
                    .hasMessageContaining("permission denied");
        }

        assertThat(database.number("select max(id) from outbox")).isEqualTo(3);
    }

    @Test
    void a_trigger_of_the_application_can_publish() throws Exception {
        database.execute("""
            create table orders (id int primary key, total numeric);
            create function publish_order() returns trigger language plpgsql as $$
            begin
                perform outbox_publish('order', new.id::text, 'order.created', row_to_json(new));
                return null;
            end $$;
            create trigger publish_order after insert on orders for each row execute function publish_order();
            insert into orders values (1, 84.50)\
            """);

        assertThat(database.text("select payload from outbox")).isEqualTo("{\"id\":1,\"total\":84.50}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json", "jsonb"})
    void many_messages_keep_their_order(String type) throws Exception {
        UUID given = UUID.randomUUID();
        String messages = """
            [{"aggregate_type": "order", "aggregate_id": "1", "type": "a", "payload": {"n": 1}, "headers": {"tenant": "blue"}},
             {"aggregate_type": "order", "aggregate_id": "1", "type": "b", "payload": null, "message_id": "%s"},
             {"aggregate_type": "order", "aggregate_id": "2", "type": "c", "payload": "null"}]\
            """.formatted(given);
        List<UUID> ids = new ArrayList<>();
        try (Connection connection = database.unpooled().getConnection();
                var publish = connection.prepareStatement("select outbox_publish_all(?)")) {
            publish.setObject(1, json(type, messages));
            try (var row = publish.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getObject(1, UUID.class));
                }
            }
        }

        assertThat(ids).hasSize(3).doesNotHaveDuplicates();
        assertThat(ids.get(1)).isEqualTo(given);
        assertThat(rows())
                .containsExactly(
                        ids.get(0) + "|order|1|a|{\"n\": 1}|{\"tenant\": \"blue\"}",
                        given + "|order|1|b|null|null",
                        ids.get(2) + "|order|2|c|\"null\"|null");
    }

    @Test
    void an_array_may_be_empty() throws Exception {
        assertThat(database.text("select count(*) from outbox_publish_all('[]')"))
                .isEqualTo("0");
    }

    @Test
    void wrong_messages_are_refused_and_none_is_inserted() throws Exception {
        String message = "{\"aggregate_type\": \"order\", \"aggregate_id\": \"1\", \"type\": \"a\", \"message_id\": \""
                + new UUID(1, 2) + "\"}";
        assertRefused("select outbox_publish_all('[" + message + "," + message + "]')", "same message_id");
        assertRefused(
                "select outbox_publish_all('[" + message + ", {\"aggregate_type\": \"order\"}]')", "aggregate_id");
        assertRefused("select outbox_publish_all('" + message + "')", "non-array");
        assertRefused("select outbox_publish('order', '1', 'a', '{no json')", "invalid input syntax for type json");
        assertRefused("select outbox_publish('order', '1', 'a', '{}', '[]')", "outbox_headers_are_an_object");
        assertRefused("select outbox_publish('order', null, 'a', '{}')", "aggregate_id");
        assertRefused(
                "select outbox_publish_all('[{\"aggregate_type\": \"order\", \"aggregate_id\": \"1\", \"type\": \"a\","
                        + " \"payload\": {}, \"payload_base64\": \"AA==\"}]')",
                "outbox_has_one_payload");

        assertThat(database.number("select count(*) from outbox")).isZero();
    }

    private void assertRefused(String sql, String reason) {
        assertThatThrownBy(() -> database.execute(sql))
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining(reason);
    }

    private List<String> rows() {
        return database.jdbc()
                .query(
                        "select * from outbox order by id",
                        (row, n) -> String.join(
                                "|",
                                row.getString("message_id"),
                                row.getString("aggregate_type"),
                                row.getString("aggregate_id"),
                                row.getString("type"),
                                row.getString("payload"),
                                row.getString("headers")));
    }
}
