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
 * Finds a pooler that gives each transaction another session of Postgres, as PgBouncer does with {@code pool_mode = transaction}.
 * A relay needs sessions of its own: they keep its prepared statements, its settings of the planner and its {@code LISTEN}, and all
 * statements of a connection must be answered by one server.
 */
public final class SharedSessions {
    private static final int ROUNDS = 5;
    private static final int ANSWER_MILLIS = 10_000;
    private static final Executor AT_ONCE = Runnable::run;

    private final DataSource unpooled;

    /** @param unpooled makes a new connection each time */
    public SharedSessions(DataSource unpooled) {
        this.unpooled = unpooled;
    }

    /** What is wrong; empty when each connection has a session of its own. */
    public Optional<DatabaseProblem> problem() throws SQLException {
        try (Connection connection = connect()) {
            return isDirect(connection) || keepsItsSession(connection)
                    ? Optional.empty()
                    : Optional.of(new DatabaseProblem(
                            "connection pooler",
                            "caravan.db.url leads to a connection pooler that gives each transaction another session"
                                    + " (PgBouncer with pool_mode = transaction). A relay needs sessions of its own, for"
                                    + " prepared statements, settings of the planner and LISTEN; prepareThreshold=0 and"
                                    + " max_prepared_statements do not change that. Set caravan.db.url (DB_URL) to Postgres"
                                    + " itself, or to a database of the pooler with pool_mode = session."));
        }
    }

    /** A pooler makes up the process id that it tells at the start of a connection. */
    private static boolean isDirect(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID() == processId(connection);
    }

    /**
     * Between two statements of a connection another one occupies a session: that which the first has just used, if the pooler
     * lends the last one first. If it lends the one that is idle for longest, the second statement gets another session.
     */
    private boolean keepsItsSession(Connection connection) throws SQLException {
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
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
