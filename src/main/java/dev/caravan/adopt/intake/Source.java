package dev.caravan.adopt.intake;

import dev.caravan.adopt.file.FileProblem;
import dev.caravan.adopt.intake.Intake.Outcome;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * The statements of an intake for the database of its table. Made from the metadata of the table, and used by one thread at a time. It remembers the size
 * of the rows that it has read, so that large ones are asked for in small numbers.
 */
public final class Source {
    /** A batch ends with the row that makes it this large. */
    private static final long BATCH_BYTES = 16 << 20;

    /** The most rows that a driver fetches at once, and those before the size of a row is known. */
    private static final int MOST_FETCHED = 100;

    private static final int FIRST_FETCHED = 10;

    private static final Set<Dialect> EXPLAINING = Set.of(Dialect.MARIADB, Dialect.POSTGRES, Dialect.H2);

    private final SourceCheck.Checked checked;
    private final Selection selection;
    private final Intake intake;
    private final Dialect dialect;
    private final RowReader reader;
    private final OptionalInt fetchSize;
    /** The average of the last read; 0 before. */
    private long rowBytes;

    private Source(SourceCheck.Checked checked, OptionalInt fetchSize) {
        this.checked = checked;
        this.selection = checked.selection();
        this.intake = selection.intake();
        this.dialect = selection.table().dialect();
        this.reader = new RowReader(checked);
        this.fetchSize = fetchSize;
    }

    /**
     * Reads the metadata of the table, and executes each statement of the file with a condition that no row fulfils.
     *
     * @param connection without an open transaction; what is executed is rolled back
     * @throws IntakeRefusal with all problems of the file and the table
     * @throws SQLException if the database cannot be asked
     */
    public static Source of(Intake intake, Connection connection) throws SQLException {
        return new Source(SourceCheck.check(intake, connection), Dialect.fetchSize(connection));
    }

    /**
     * What makes the intake slow or its order weaker: a table without transactions, no snapshot of a statement, no index that serves the read. Does not
     * read rows, whatever the size of the table.
     */
    public List<FileProblem> warnings(Connection connection) throws SQLException {
        return SourceWarnings.of(checked, select(), connection);
    }

    /** Whether a mark can be rolled back. */
    boolean hasTransactions(Connection connection) throws SQLException {
        return dialect == Dialect.MARIADB
                ? SourceWarnings.engine(selection.table(), connection)
                        .filter(SourceWarnings.Engine::hasTransactions)
                        .isPresent()
                : connection.getMetaData().supportsTransactions();
    }

    /** Whether the database has a plain {@code explain}. */
    boolean explains() {
        return EXPLAINING.contains(dialect);
    }

    private String pending() {
        return "(" + intake.pending() + ")";
    }

    /** Whether a stored key has the columns of the key of the file, which a person may have changed since. */
    boolean fits(RowKey key) {
        return key.values().size() == selection.keys();
    }

    /**
     * The statement that reads the oldest pending rows in their order, without parameters: at most a batch, and about twice as many as fit into its
     * bytes. A driver reads those that are left over only to drop them.
     */
    public String select() {
        return selection.statement(pending(), limit());
    }

    private int limit() {
        return fitting(2 * BATCH_BYTES, intake.batch(), intake.batch());
    }

    /** How many rows of the last size have this number of bytes: at least 1. */
    private int fitting(long bytes, int unknown, int most) {
        return rowBytes == 0 ? unknown : (int) Math.max(1, Math.min(most, bytes / rowBytes));
    }

    /** The number of rows that the driver is to fetch at once, for {@link Statement#setFetchSize}: it does not keep a whole batch then. */
    public int fetchSize() {
        return fetchSize.orElseGet(() -> fitting(BATCH_BYTES, FIRST_FETCHED, MOST_FETCHED));
    }

    /** Whether the driver heeds {@link #fetchSize} only in a transaction. */
    boolean readsInTransaction() {
        return dialect == Dialect.POSTGRES;
    }

    /** Reads rows of {@link #select()} until they are at their end or the batch has the maximum number of bytes: memory is bounded. */
    public Rows read(ResultSet rows) throws SQLException {
        List<SourceRow> read = new ArrayList<>();
        int limit = limit();
        long bytes = 0;
        while (bytes < BATCH_BYTES
                && read.size() < limit
                && rows.next()) { // the database may return more than asked for
            SourceRow row = reader.read(rows);
            read.add(row);
            bytes += bytes(row);
        }
        if (!read.isEmpty()) {
            rowBytes = bytes / read.size() + 1;
        }
        return new Rows(read, bytes >= BATCH_BYTES || read.size() >= limit);
    }

    private long bytes(SourceRow row) {
        if (row instanceof SourceRow.Valid valid) {
            return valid.payload().map(Texts::bytes).orElse(0L)
                    + valid.payloadBytes().map(content -> (long) content.length).orElse(0L)
                    + valid.headers().map(Texts::bytes).orElse(0L);
        }
        SourceRow.Rejected rejected = (SourceRow.Rejected) row;
        return Texts.bytes(rejected.row())
                + (rejected.errorClass().equals(RowReader.TOO_LARGE) ? intake.maxPayload() : 0);
    }

    /** @param more whether the statement may have found more rows than these: the batch is full */
    public record Rows(List<SourceRow> rows, boolean more) {}

    /**
     * The rows with these keys, whether they are pending or not, empty for those that do not exist. Ends with the row that makes it as large as a batch:
     * the keys after it are not in the result.
     */
    public Map<RowKey, Optional<SourceRow>> find(Connection connection, List<RowKey> keys) throws SQLException {
        Map<RowKey, Optional<SourceRow>> found = new LinkedHashMap<>();
        long bytes = 0;
        try (PreparedStatement select = connection.prepareStatement(
                "select " + selection.sql() + " from " + intake.table() + " where " + among(1))) {
            for (int i = 0; i < keys.size() && bytes < BATCH_BYTES; i++) {
                bind(select, 1, List.of(keys.get(i)));
                try (ResultSet rows = select.executeQuery()) {
                    Optional<SourceRow> row = rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
                    bytes += row.map(this::bytes).orElse(0L);
                    found.put(keys.get(i), row);
                }
            }
        }
        return found;
    }

    /**
     * The message that {@link SourceRow.Rejected#row} describes, which was stored and which a person may have edited.
     *
     * @param messageId that of the rejected row
     */
    public SourceRow stored(RowKey key, UUID messageId, String row) {
        return reader.stored(key, messageId, row);
    }

    /**
     * Marks or deletes the rows with these keys that are pending, in as few statements as the database allows. Commits nothing.
     *
     * @return how many were pending
     */
    public int mark(Connection connection, List<RowKey> keys) throws SQLException {
        return update(connection, keys, this::marking);
    }

    private String marking(String among) {
        return intake.marking(among + " and " + pending());
    }

    private int update(Connection connection, List<RowKey> keys, UnaryOperator<String> statement) throws SQLException {
        int changed = 0;
        for (List<RowKey> chunk : chunks(keys)) {
            try (PreparedStatement update = connection.prepareStatement(statement.apply(among(chunk.size())))) {
                bind(update, 1, chunk);
                changed += update.executeUpdate();
            }
        }
        return changed;
    }

    /** How many of the rows with these keys are pending. */
    public int pending(Connection connection, List<RowKey> keys) throws SQLException {
        int pending = 0;
        for (List<RowKey> chunk : chunks(keys)) {
            try (PreparedStatement count = connection.prepareStatement(
                    "select count(*) from " + intake.table() + " where " + among(chunk.size()) + " and " + pending())) {
                bind(count, 1, chunk);
                try (ResultSet rows = count.executeQuery()) {
                    rows.next();
                    pending += rows.getInt(1);
                }
            }
        }
        return pending;
    }

    /** Writes the outcome {@code delivered} of the file into those of these rows that are not pending. Commits nothing. */
    public void writeDelivered(Connection connection, List<RowKey> keys) throws SQLException {
        String delivered = intake.outcome().orElseThrow().delivered();
        update(connection, keys, among -> intake.setting(delivered, among + unlessPending()));
    }

    /** A row that the application has set to pending again is not copied yet: its outcome would end that. */
    private String unlessPending() {
        return " and case when " + pending() + " then 1 else 0 end = 0";
    }

    /** What is written into a row whose message is dead. */
    public record Dead(RowKey key, int attempts, String error) {}

    /** Writes the outcome {@code dead} of the file into those of these rows that are not pending. Commits nothing. */
    public void writeDead(Connection connection, List<Dead> rows) throws SQLException {
        Optional<SqlFragment> found = intake.outcome().flatMap(Outcome::dead).map(SqlFragment::of);
        if (rows.isEmpty() || found.isEmpty()) {
            return;
        }
        SqlFragment dead = found.get();
        try (PreparedStatement update =
                connection.prepareStatement(intake.setting(dead.sql(), among(1) + unlessPending()))) {
            for (Dead row : rows) {
                int at = 1;
                for (String name : dead.parameters()) {
                    if (name.equals(SqlFragment.ERROR)) {
                        update.setString(at++, row.error());
                    } else {
                        update.setInt(at++, row.attempts());
                    }
                }
                bind(update, at, List.of(row.key()));
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    /** The value of each statement by its purpose, for people: {@code read}, {@code mark}, {@code delivered}, {@code dead}. */
    public Map<String, String> statements() {
        Map<String, String> statements = new LinkedHashMap<>();
        statements.put("read", select());
        statements.put("mark", marking(among(1)));
        intake.outcome().ifPresent(outcome -> {
            String condition = among(1) + unlessPending();
            statements.put("delivered", intake.setting(outcome.delivered(), condition));
            outcome.dead().ifPresent(dead -> statements.put("dead", intake.setting(dead, condition)));
        });
        return Collections.unmodifiableMap(statements);
    }

    private List<List<RowKey>> chunks(List<RowKey> keys) {
        int size = dialect.rows(selection.keys());
        List<List<RowKey>> chunks = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += size) {
            chunks.add(keys.subList(from, Math.min(keys.size(), from + size)));
        }
        return chunks;
    }

    private String among(int rows) {
        return dialect.among(selection.keySql(), rows);
    }

    private void bind(PreparedStatement statement, int first, List<RowKey> keys) throws SQLException {
        int at = first;
        for (RowKey key : keys) {
            for (Object value : key.values()) {
                bind(statement, at++, value);
            }
        }
    }

    private void bind(PreparedStatement statement, int at, Object value) throws SQLException {
        if (value instanceof Long number) {
            statement.setLong(at, number);
        } else if (value instanceof BigDecimal number) {
            statement.setBigDecimal(at, number);
        } else if (value instanceof Boolean flag) {
            statement.setBoolean(at, flag);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(at, bytes);
        } else if (value instanceof String text) {
            if (dialect == Dialect.POSTGRES) {
                statement.setObject(at, text, Types.OTHER); // compared as the type of the column, and not as varchar
            } else {
                statement.setString(at, text);
            }
        } else if (dialect == Dialect.POSTGRES || dialect == Dialect.H2) {
            statement.setObject(at, value);
        } else {
            statement.setString(at, value.toString());
        }
    }
}
