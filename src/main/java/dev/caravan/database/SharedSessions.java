package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Detects a pooler that assigns each transaction to another Postgres session, such as PgBouncer with
 * {@code pool_mode = transaction}. A relay needs its own sessions for prepared statements, planner settings and {@code LISTEN}.
 */
public final class SharedSessions {
    private static final int ROUNDS = 5;
    private static final int ANSWER_MILLIS = 10_000;
    private static final Executor AT_ONCE = Runnable::run;

    private final DataSource unpooled;

    /** @param unpooled creates a new connection for each call */
    public SharedSessions(DataSource unpooled) {
        this.unpooled = unpooled;
    }

    /** The problem; empty when each connection has its own session. */
    public Optional<DatabaseProblem> problem() throws SQLException {
        try (Connection connection = connect()) {
            return problem(connection);
        }
    }

    /** The problem of a connection from the same source. */
    public Optional<DatabaseProblem> problem(Connection connection) throws SQLException {
        return isDirect(connection) || hasOwnSession(connection)
                ? Optional.empty()
                : Optional.of(new DatabaseProblem(
                        "connection pooler",
                        "caravan.db.url points to a connection pooler that assigns each transaction to another session"
                                + " (PgBouncer with pool_mode = transaction). A relay needs its own sessions for"
                                + " prepared statements, planner settings and LISTEN; prepareThreshold=0 and"
                                + " max_prepared_statements do not change that. Set caravan.db.url (CARAVAN_DB_URL) to Postgres"
                                + " directly, or to a database of the pooler with pool_mode = session."));
    }

    /** Compares the process id that the connection received at its start with that of the session: a pooler sends an invented one. */
    private static boolean isDirect(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID() == processId(connection);
    }

    /**
     * Whether two statements run in the same session. A second connection occupies a session between them: if the
     * pooler assigns the most recently used session, it occupies that one. If the pooler assigns the session that was idle longest,
     * the second statement gets another session anyway.
     */
    private boolean hasOwnSession(Connection connection) throws SQLException {
        List<Connection> others = new ArrayList<>();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                int before = processId(connection);
                Connection other = connect();
                others.add(other);
                other.setAutoCommit(false);
                if (processId(other) == before || processId(connection) != before) {
                    return false;
                }
            }
            return true;
        } finally {
            for (Connection other : others) {
                other.close();
            }
        }
    }

    private Connection connect() throws SQLException {
        Connection connection = unpooled.getConnection();
        connection.setNetworkTimeout(AT_ONCE, ANSWER_MILLIS);
        return connection;
    }

    private static int processId(Connection connection) throws SQLException {
        return (int) Sql.number(connection, "select pg_backend_pid()");
    }
}
