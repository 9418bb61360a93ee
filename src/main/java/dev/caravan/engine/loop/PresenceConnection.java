package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.SharedSessions;
import dev.caravan.database.Sql;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.store.Histories;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** A connection whose session holds the advisory lock that shows that this relay is running. Not thread-safe. */
final class PresenceConnection implements AutoCloseable {
    /** The connection goes through a pooler that assigns each transaction to another session. */
    static final class Pooled extends SQLException {
        private static final long serialVersionUID = 1L;

        private Pooled() {
            super("the connection goes through a pooler that assigns each transaction to another session");
        }
    }

    /** Makes the server detect within about 4 s that this machine has failed. No effect on a Unix socket. */
    static final String DETECT_LOSS =
            "set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3; set tcp_user_timeout = 4000";

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final int MILLISECOND = 1;

    private final Connection connection;
    private final PGConnection notifications;
    private final Histories histories;
    private final Clock clock;
    private final int process;
    private final ProvenSession session;

    /**
     * Opens a session and obtains a lock with a new key.
     *
     * @param request requests a proof of the session at once
     * @throws Pooled if the sessions of the data source are shared
     */
    PresenceConnection(DataSource source, Histories histories, Clock clock, Runnable request) throws SQLException {
        this.histories = histories;
        this.clock = clock;
        connection = source.getConnection();
        try {
            if (new SharedSessions(source).problem(connection).isPresent()) {
                throw new Pooled();
            }
            notifications = connection.unwrap(PGConnection.class);
            execute(DETECT_LOSS);
            long key = RANDOM.nextLong() >>> 1;
            lock(key);
            process = process();
            session = new ProvenSession(key, histories.of(connection).number(), clock.elapsed(), request);
        } catch (SQLException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    ProvenSession session() {
        return session;
    }

    /**
     * Proves that the session has not ended.
     *
     * @return the end of the previous proof, by {@link Clock#elapsed()}
     * @throws SQLException if it has ended, does not answer, or the server was replaced by another one
     */
    long prove() throws SQLException {
        long requestedAt = clock.elapsed();
        if (process() != process) {
            throw new SQLException("the connection now has another session");
        }
        histories.of(connection);
        return session.proven(requestedAt);
    }

    /**
     * Reads what the server has sent without being asked: that it has ended the session. Runs no statement.
     *
     * @throws SQLException if it has
     */
    void requireNotEnded() throws SQLException {
        notifications.getNotifications(MILLISECOND);
    }

    private int process() throws SQLException {
        return Sql.text("select pg_backend_pid()")
                .first(connection, row -> row.getInt(1))
                .orElseThrow();
    }

    private void lock(long key) throws SQLException {
        boolean locked = Sql.text("select pg_try_advisory_lock(:key)")
                .with("key", key)
                .first(connection, row -> row.getBoolean(1))
                .orElseThrow();
        if (!locked) {
            throw new SQLException("the advisory lock " + key + " belongs to another session");
        }
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Closes the socket without waiting for the server. */
    @Override
    public void close() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            // the connection is closed already
        }
    }
}
