package dev.caravan.database;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.caravan.camel.outbox.TestOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReusedSessionsIT {
    private TestOutbox outbox;
    private ReusedSessions sessions;

    @BeforeEach
    void create() throws Exception {
        outbox = TestOutbox.create();
        sessions = new ReusedSessions(outbox.unpooled());
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    @Test
    void connections_one_after_the_other_use_one_session() throws Exception {
        assertThat(sessionOfNext()).isEqualTo(sessionOfNext());
    }

    @Test
    void a_connection_beside_another_has_a_session_of_its_own() throws Exception {
        try (Connection first = sessions.getConnection();
                Connection second = sessions.getConnection()) {
            assertThat(session(first)).isNotEqualTo(session(second));
        }
    }

    @Test
    void the_next_connection_sees_nothing_of_the_transaction_that_the_previous_one_left_open() throws Exception {
        try (Connection connection = sessions.getConnection()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            session(connection);
        }
        try (Connection connection = sessions.getConnection()) {
            assertThat(connection.getAutoCommit()).isTrue();
            Sql.execute(
                    connection,
                    "insert into outbox (aggregate_type, aggregate_id, type, payload)"
                            + " values ('order', 'a', 'order.created', '{}')");
        }
        assertThat(outbox.number("select count(*) from outbox")).isEqualTo(1);
    }

    @Test
    void a_session_that_the_server_has_ended_is_replaced() throws Exception {
        int ended = sessionOfNext();
        outbox.execute("select pg_terminate_backend(" + ended + ", 30000)");

        assertThat(sessionOfNext()).isNotEqualTo(ended);
    }

    @Test
    void a_session_whose_server_has_become_read_only_is_replaced() throws Exception {
        int readOnly;
        try (Connection connection = sessions.getConnection()) {
            readOnly = session(connection);
            Sql.execute(connection, "set default_transaction_read_only = on"); // as a server that is demoted
        }
        assertThat(sessionOfNext()).isNotEqualTo(readOnly);
    }

    @Test
    void a_session_that_broke_in_use_is_not_used_again() throws Exception {
        int broken;
        try (Connection connection = sessions.getConnection()) {
            broken = session(connection);
            outbox.execute("select pg_terminate_backend(" + broken + ", 30000)");
            assertThat(catchThrowable(() -> session(connection))).isInstanceOf(SQLException.class);
        }
        assertThat(sessionOfNext()).isNotEqualTo(broken);
    }

    @Test
    void all_sessions_end_also_those_that_are_closed_later() throws Exception {
        int idle = sessionOfNext();
        int inUse;
        try (Connection connection = sessions.getConnection();
                Connection other = sessions.getConnection()) {
            inUse = session(other);
            other.close();
            sessions.close();
            assertThat(session(connection)).isEqualTo(idle);
        }
        eventually(() -> assertThat(outbox.number(
                        "select count(*) from pg_stat_activity where pid in (" + idle + ", " + inUse + ")"))
                .isZero());
    }

    private int sessionOfNext() throws SQLException {
        try (Connection connection = sessions.getConnection()) {
            return session(connection);
        }
    }

    private static int session(Connection connection) throws SQLException {
        return (int) Sql.number(connection, "select pg_backend_pid()");
    }
}
