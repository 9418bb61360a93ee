package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Runs work in a transaction. */
public final class Transaction {
    /**
     * Planner settings for the tables of failures. Their statistics are often wrong, and the server would scan and sort the tables. An
     * index serves every statement. Bitmap scans are off because they read all matching rows even for a short page.
     */
    public static final String PLANS = "set local plan_cache_mode = force_custom_plan; set local enable_seqscan = off;"
            + " set local enable_bitmapscan = off";

    /** Ends the transaction of a client that no longer responds, which would otherwise block the relay of the subscription. */
    private static final String IDLE_TIMEOUT = "set local idle_in_transaction_session_timeout = '5s'";

    /** The first statements of each transaction. */
    public static final String SETTINGS = PLANS + "; " + IDLE_TIMEOUT;

    /** The work in the transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    private Transaction() {}

    /**
     * Commits after the work, or rolls back if it throws.
     *
     * @throws SQLException with SQLSTATE 08007 if it is unknown whether the transaction was committed
     */
    public static <T> T run(DataSource dataSource, Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                Sql.execute(connection, SETTINGS);
                T result = work.in(connection);
                commit(connection);
                return result;
            } catch (SQLException | RuntimeException | Error e) {
                rollback(connection, e);
                throw e;
            } finally {
                if (!connection.isClosed()) {
                    connection.setAutoCommit(true);
                }
            }
        }
    }

    /** Commits. If the connection is lost, it is unknown whether the server has committed. */
    private static void commit(Connection connection) throws SQLException {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw DatabaseFailure.isLostConnection(e)
                    ? new SQLException(e.getMessage(), DatabaseFailure.COMMIT_UNKNOWN, e)
                    : e;
        }
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e); // the connection is broken, which ends the transaction
        }
    }
}
