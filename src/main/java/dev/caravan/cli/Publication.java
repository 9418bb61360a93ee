package dev.caravan.cli;

import dev.caravan.base.message.MessageLine;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** Inserts messages with COPY, which takes the same lock as an insert, and the ids from the sequence. */
final class Publication implements AutoCloseable {
    private static final String COPY = "copy outbox (" + MessageLine.COLUMNS + ") from stdin";

    private final Connection connection;
    private final byte[] buffer = new byte[256 * 1024];
    private int buffered;
    private CopyIn copy;
    private long pending;
    private long committed;
    private boolean committing;

    Publication(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    void add(byte[] row) throws SQLException {
        if (copy == null) {
            copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(COPY);
        }
        if (buffered + row.length > buffer.length) {
            flush();
        }
        if (row.length > buffer.length) {
            copy.writeToCopy(row, 0, row.length);
        } else {
            System.arraycopy(row, 0, buffer, buffered, row.length);
            buffered += row.length;
        }
        pending++;
    }

    private void flush() throws SQLException {
        copy.writeToCopy(buffer, 0, buffered);
        buffered = 0;
    }

    void commit() throws SQLException {
        if (copy != null) {
            flush();
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
        buffered = 0;
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
