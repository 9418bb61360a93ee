package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.DataSource;
import org.postgresql.ds.PGPooledConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Sessions of one command. A closed connection returns its session, which the next connection uses, so that a command does not log in for
 * each of its statements. A connection fails at once if the database is unavailable, unlike one of a pool that waits. Not for
 * statements that need the end of their session, for example to release a lock.
 */
public final class ReusedSessions extends AbstractDataSource implements AutoCloseable {
    private static final int VALIDATION_SECONDS = 5;

    private final DataSource source;
    private final Deque<Session> idle = new ArrayDeque<>();
    private boolean closed;

    /** @param source begins a session for each connection */
    public ReusedSessions(DataSource source) {
        this.source = source;
    }

    @Override
    public Connection getConnection() throws SQLException {
        for (Session session = takeIdle(); session != null; session = takeIdle()) {
            if (session.isUsable()) {
                return session.handle();
            }
            session.end();
        }
        return new Session(source.getConnection()).handle();
    }

    /** @throws UnsupportedOperationException always: the source knows the user */
    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException("The user of a session cannot be changed");
    }

    private synchronized Session takeIdle() {
        return idle.poll();
    }

    /** Returns whether the session was kept for the next connection. */
    private synchronized boolean offer(Session session) {
        return !closed && idle.offerFirst(session);
    }

    /** Ends all sessions. One that is in use ends when its connection is closed. */
    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(Session::end);
        idle.clear();
    }

    /** A session, and the connection of the driver that returns it. */
    private final class Session implements ConnectionEventListener {
        private final Connection connection;
        private final PGPooledConnection pooled;

        Session(Connection connection) {
            this.connection = connection;
            pooled = new PGPooledConnection(connection, true);
            pooled.addConnectionEventListener(this);
        }

        Connection handle() throws SQLException {
            return pooled.getConnection();
        }

        /** The server may have ended the session meanwhile, or be read-only now. Only a new session finds a new primary. */
        boolean isUsable() {
            try {
                return connection.isValid(VALIDATION_SECONDS) && canWrite();
            } catch (SQLException e) {
                return false;
            }
        }

        private boolean canWrite() throws SQLException {
            return Sql.rows(connection, "show transaction_read_only", row -> row.getString(1))
                    .equals(List.of("off"));
        }

        @Override
        public void connectionClosed(ConnectionEvent event) {
            if (!isReset() || !offer(this)) {
                end();
            }
        }

        private boolean isReset() {
            try {
                if (connection.isReadOnly()) {
                    connection.setReadOnly(false);
                }
                return true;
            } catch (SQLException e) {
                return false; // even if the connection is broken
            }
        }

        @Override
        public void connectionErrorOccurred(ConnectionEvent event) {
            // the connection is broken: its end is noticed when it is closed
        }

        void end() {
            try {
                connection.close();
            } catch (SQLException e) {
                logger.debug("Could not close the session of a command", e);
            }
        }
    }
}
