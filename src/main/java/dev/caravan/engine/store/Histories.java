package dev.caravan.engine.store;

import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.postgresql.PGConnection;

/**
 * The histories of the database connections of a pool. The history is queried once per connection: it does not change while a
 * session is open. Connections to a server that another one has replaced are closed.
 */
public final class Histories {
    /** SQLSTATE of a missing privilege, a missing function, and a function that a database service does not offer. */
    private static final Set<String> NOT_AVAILABLE = Set.of(DatabaseFailure.NO_PRIVILEGE, "42883", "0A000");

    private final Map<Object, DatabaseHistory> known = Collections.synchronizedMap(new WeakHashMap<>());
    private volatile DatabaseHistory newest;

    /**
     * The history of the server of a connection.
     *
     * @throws SQLException also if the server is a standby, or if another connection was to a newer server
     */
    public DatabaseHistory of(Connection connection) throws SQLException {
        Object session =
                connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : connection;
        DatabaseHistory history = known.get(session);
        if (history == null) {
            history = query(connection);
            known.put(session, history);
            found(history);
        }
        if (!history.equals(newest)) {
            connection.abort(Runnable::run);
            throw new SQLException(
                    "The server (timeline " + history.timeline() + ") was replaced by another one (timeline "
                            + newest.timeline()
                            + ") that this relay uses. Shut down the old server; if an older state was"
                            + " restored on purpose, restart the relay",
                    "08004");
        }
        return history;
    }

    private synchronized void found(DatabaseHistory history) {
        if (newest == null || !history.isOlderThan(newest)) {
            newest = history;
        }
    }

    private static DatabaseHistory query(Connection connection) throws SQLException {
        try {
            return query(connection, Sql.file("engine/history"));
        } catch (SQLException e) {
            // the state is null if the pool has closed the connection
            if (!NOT_AVAILABLE.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            endTransaction(connection);
            return query(connection, Sql.file("engine/history_since_start"));
        }
    }

    private static DatabaseHistory query(Connection connection, Sql sql) throws SQLException {
        DatabaseHistory history = sql.first(connection, Histories::history).orElseThrow();
        endTransaction(connection);
        return history;
    }

    private static DatabaseHistory history(ResultSet row) throws SQLException {
        long timeline = row.getLong(2);
        if (row.wasNull()) {
            throw new SQLException(
                    "The server is a standby: it is read-only and may lack rows of its primary", "08004");
        }
        return new DatabaseHistory(row.getString(1), timeline);
    }

    private static void endTransaction(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }
}
