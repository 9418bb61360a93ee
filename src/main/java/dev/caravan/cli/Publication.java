package dev.caravan.cli;

import dev.caravan.base.message.MessageLine;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.PGCopyOutputStream;

/** Inserts messages with COPY, which takes the same lock as an insert, and the ids from the sequence. */
final class Publication implements AutoCloseable {
    private static final String COPY = "copy outbox (" + MessageLine.COLUMNS + ") from stdin";
    private static final int BUFFER_BYTES = 256 * 1024;

    private final Connection connection;
    private PGCopyOutputStream copy;
    private long pending;
    private long committed;
    private boolean committing;

    Publication(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    void add(byte[] row) throws SQLException {
        if (copy == null) {
            copy = new PGCopyOutputStream(connection.unwrap(PGConnection.class), COPY, BUFFER_BYTES);
        }
        copy.writeToCopy(row, 0, row.length);
        pending++;
    }

    void commit() throws SQLException {
        if (copy != null) {
            copy.endCopy();
            copy = null;
        }
        committing = true;
        connection.commit();
        committing = false;
        committed += pending;
        pending = 0;
    }

    void rollback() throws SQLException {
        if (copy != null && copy.isActive()) {
            copy.cancelCopy();
        }
        copy = null;
        pending = 0;
        connection.rollback();
    }

    /** Number of committed messages. */
    long committed() {
        return committed;
    }

    /** Number of messages in the current transaction. */
    long pending() {
        return pending;
    }

    /** True when a commit was sent and has not been answered. */
    boolean isCommitting() {
        return committing;
    }

    /** Closes the connection. Messages that are not committed are rolled back. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
