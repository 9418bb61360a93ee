package dev.caravan.adopt.intake;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The statements of an intake for the database of its table. Immutable; made from the metadata of the table, and used by one thread at a time. */
final class Source {
    private Source() {}

    /**
     * Reads the metadata of the table.
     *
     * @throws IntakeRefusal with all problems of the file and the table
     * @throws SQLException if the database cannot be asked
     */
    static Source of(Intake intake, Connection connection) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** The statement that reads the oldest pending rows in their order, at most a batch, without parameters. */
    String select() {
        throw new UnsupportedOperationException();
    }

    /** Reads rows of {@link #select()} until they are at their end or the batch has the maximum number of bytes: memory is bounded. */
    Rows read(ResultSet rows) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** @param more whether the statement may have found more rows than these: the batch is full */
    record Rows(List<SourceRow> rows, boolean more) {}

    /** The rows with these keys that exist, whether they are pending or not. */
    List<SourceRow> find(Connection connection, List<RowKey> keys) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /**
     * Marks or deletes the rows with these keys that are pending, in as few statements as the database allows. Commits nothing.
     *
     * @return how many were pending
     */
    int mark(Connection connection, List<RowKey> keys) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** How many of the rows with these keys are pending. */
    int pending(Connection connection, List<RowKey> keys) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** Writes the outcome {@code delivered} of the file into these rows. Commits nothing. */
    void writeDelivered(Connection connection, List<RowKey> keys) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** What is written into a row whose message is dead. */
    record Dead(RowKey key, int attempts, String error) {}

    /** Writes the outcome {@code dead} of the file into these rows. Commits nothing. */
    void writeDead(Connection connection, List<Dead> rows) throws SQLException {
        throw new UnsupportedOperationException();
    }

    /** The value of each statement by its purpose, for people: {@code read}, {@code mark}, {@code delivered}, {@code dead}. */
    Map<String, String> statements() {
        throw new UnsupportedOperationException();
    }
}
