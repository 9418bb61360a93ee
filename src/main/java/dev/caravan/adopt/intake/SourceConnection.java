package dev.caravan.adopt.intake;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SmartDataSource;

/**
 * The connection of an intake to its source. It stays open between polls: a poll is one statement then, without those with which a pool checks and
 * resets a connection. Used by one thread at a time, except {@link #abort}.
 */
final class SourceConnection extends AbstractDataSource implements SmartDataSource {
    /** How long a connection is kept: a pool can replace it then. */
    private static final Duration KEPT = Duration.ofMinutes(1);

    /** The time after which a database that does not answer is given up, if its driver has no such limit. */
    private static final int ANSWER_MILLIS = 60_000;

    private final Supplier<DataSource> source;
    private final Clock clock;
    private volatile Connection open;
    private long openedAt;

    /** @param source finds the data source */
    SourceConnection(Supplier<DataSource> source, Clock clock) {
        this.source = source;
        this.clock = clock;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (open == null) {
            Connection connection = source.get().getConnection();
            try {
                prepare(connection);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
            open = connection;
            openedAt = clock.nanos();
        }
        return open;
    }

    /** A statement must see what is committed when it begins, and no more. */
    private static void prepare(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
        }
        int level = connection.getTransactionIsolation();
        if (level != Connection.TRANSACTION_READ_COMMITTED && level != Connection.TRANSACTION_NONE) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        try {
            if (connection.getNetworkTimeout() == 0) {
                connection.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
            }
        } catch (SQLException | LinkageError e) {
            return; // a driver without such a limit
        }
    }

    /** @throws UnsupportedOperationException always: the data source knows the user */
    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException("The user of a source is that of its data source");
    }

    @Override
    public boolean shouldClose(Connection connection) {
        return connection != open;
    }

    /** Runs work in a transaction. If it fails, it is rolled back. */
    <T> T inTransaction(Transaction.Work<T> work) throws SQLException {
        Connection connection = getConnection();
        connection.setAutoCommit(false);
        try {
            T result = work.in(connection);
            connection.commit();
            connection.setAutoCommit(true);
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollback(connection, e);
            throw e;
        }
    }

    private void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
            close();
        }
    }

    /** Returns a connection that is kept for long. */
    void refresh() {
        if (open != null && clock.nanos() - openedAt > KEPT.toNanos()) {
            close();
        }
    }

    /** Returns the connection. */
    void close() {
        Connection connection = open;
        open = null;
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            return; // it is broken, and of no more use
        }
    }

    /** Ends what the connection executes now. */
    void abort() {
        Connection connection = open;
        try {
            if (connection != null) {
                connection.abort(Runnable::run);
            }
        } catch (SQLException e) {
            return; // a driver that cannot
        }
    }
}
