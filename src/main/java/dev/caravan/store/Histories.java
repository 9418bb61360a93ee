package dev.caravan.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.postgresql.PGConnection;

/**
 * The histories of the connections of a pool. Each new connection is asked once: a server that has left recovery keeps its
 * history for as long as its sessions live. Connections to a server that another one has replaced are closed.
 */
public final class Histories {
    /** Missing privilege, missing function, function that a service does not offer. */
    private static final Set<String> NOT_TO_BE_HAD = Set.of("42501", "42883", "0A000");

    private final Map<Object, DatabaseHistory> known = Collections.synchronizedMap(new WeakHashMap<>());
    private volatile DatabaseHistory newest;

    /**
     * The history of the server to which a connection leads.
     *
     * @throws SQLException also when it is a standby, or was replaced by a server that a connection led to
     */
    DatabaseHistory of(Connection connection) throws SQLException {
        Object session =
                connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : connection;
        DatabaseHistory history = known.get(session);
        if (history == null) {
            history = ask(connection);
            known.put(session, history);
            found(history);
        }
        if (!history.equals(newest)) {
            connection.abort(Runnable::run);
            throw new SQLException(
                    "The server (timeline " + history.timeline() + ") was replaced by another one (timeline "
                            + newest.timeline() + ") that this relay works with. Shut it down; after a restore that was"
                            + " meant to go back, restart the relay",
                    "08004");
        }
        return history;
    }

    private synchronized void found(DatabaseHistory history) {
        if (newest == null || !history.isOlderThan(newest)) {
            newest = history;
        }
    }

    private static DatabaseHistory ask(Connection connection) throws SQLException {
        try {
            return ask(connection, Sql.HISTORY);
        } catch (SQLException e) {
            if (!NOT_TO_BE_HAD.contains(e.getSQLState())) {
                throw e;
            }
            return ask(connection, Sql.HISTORY_SINCE_START);
        }
    }

    private static DatabaseHistory ask(Connection connection, Sql question) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(question.text())) {
            row.next();
            long timeline = row.getLong(2);
            if (row.wasNull()) {
                throw new SQLException(
                        "The server is a standby: it may lack what its primary has, and saves nothing", "08004");
            }
            return new DatabaseHistory(row.getString(1), timeline);
        } finally {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }
}
