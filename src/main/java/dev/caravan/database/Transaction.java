package dev.caravan.database;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Work that is done whole or not at all. */
public final class Transaction {
    /**
     * Tables of failures are empty or just filled when they are needed, so that their statistics are wrong: without this the
     * server scans and sorts them. Every statement here is served by an index; a bitmap of it would be read to its end, however
     * short the page.
     */
    public static final String PLANS = "set local plan_cache_mode = force_custom_plan; set local enable_seqscan = off;"
            + " set local enable_bitmapscan = off";

    /** A person whose machine or network vanishes in the middle must not keep a subscription locked: its relay would stand still. */
    private static final String PATIENCE = "set local idle_in_transaction_session_timeout = '5s'";

    /** What is done in the transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    private Transaction() {}

    /** Commits what the work has done, or nothing of it. */
    public static <T> T run(DataSource dataSource, Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                try (var statement = connection.createStatement()) {
                    statement.execute(PLANS + "; " + PATIENCE);
                }
                T result = work.in(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException e) {
                rollback(connection, e);
                throw e;
            } finally {
                if (!connection.isClosed()) {
                    connection.setAutoCommit(true);
                }
            }
        }
    }

    private static void rollback(Connection connection, Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e); // the connection is gone, and the transaction with it
        }
    }
}
