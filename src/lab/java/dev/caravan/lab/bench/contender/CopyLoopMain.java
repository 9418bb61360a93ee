package dev.caravan.lab.bench.contender;

import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.SourceTable;
import dev.caravan.routes.component.UserJars;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a copy loop as many write it by hand, the limit of what an intake can reach: only JDBC, with the statements of the
 * intake. It knows nothing of what it did before it was killed: the rows of its last batch are copied twice if it marks them afterwards, and
 * lost if it marks them before. It ends when a database is unavailable. Arguments: JDBC URL and user of the source, those of the outbox,
 * folder with the driver of the source, rows per read, {@code after} or {@code before}.
 */
public final class CopyLoopMain {
    /** The environment variable with the password of the source. */
    public static final String SOURCE_PASSWORD = "SOURCE_PASSWORD";
    /** The environment variable with the password of the outbox. */
    public static final String OUTBOX_PASSWORD = "OUTBOX_PASSWORD";

    public static final String MARK_AFTER = "after";
    public static final String MARK_BEFORE = "before";

    /** The default of an intake. */
    private static final long PAUSE_NANOS = 50_000_000;

    private final Connection source;
    private final Connection outbox;
    private final PreparedStatement read;
    private final PreparedStatement insert;
    private final PreparedStatement mark;
    private final int batch;
    private final boolean marksBefore;

    private record Batch(List<String> ids, List<String> keys, List<String> types, List<String> payloads) {}

    private CopyLoopMain(Connection source, Connection outbox, int batch, boolean marksBefore) throws SQLException {
        this.source = source;
        this.outbox = outbox;
        this.batch = batch;
        this.marksBefore = marksBefore;
        read = source.prepareStatement(BenchSql.read("copy_read"));
        mark = source.prepareStatement(SourceTable.mark(String.join(",", Collections.nCopies(batch, "?"))));
        insert = outbox.prepareStatement(BenchSql.read("copy_insert"));
    }

    public static void main(String[] args) throws Exception {
        UserJars.in(Path.of(args[4])).classLoader(); // registers the driver
        try (var source = DriverManager.getConnection(args[0], args[1], System.getenv(SOURCE_PASSWORD));
                var outbox = Database.unpooled(args[2], args[3], System.getenv(OUTBOX_PASSWORD))
                        .getConnection()) {
            Sql.execute(outbox, "set application_name = 'caravan'"); // so that the benchmark finds the session
            source.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            source.setAutoCommit(false);
            outbox.setAutoCommit(false);
            new CopyLoopMain(source, outbox, Integer.parseInt(args[5]), args[6].equals(MARK_BEFORE)).loop();
        }
    }

    /** Runs until the process is ended. */
    private void loop() throws SQLException {
        while (true) {
            Batch rows = read();
            if (!rows.ids.isEmpty()) {
                if (marksBefore) {
                    mark(rows);
                    insert(rows);
                } else {
                    insert(rows);
                    mark(rows);
                }
            }
            if (rows.ids.size() < batch) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private Batch read() throws SQLException {
        Batch found = new Batch(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        read.setInt(1, batch);
        try (ResultSet rows = read.executeQuery()) {
            while (rows.next()) {
                found.ids.add(rows.getString(1));
                found.keys.add(rows.getString(2));
                found.types.add(rows.getString(3));
                found.payloads.add(rows.getString(4));
            }
        }
        source.commit();
        return found;
    }

    private void insert(Batch rows) throws SQLException {
        int parameter = 1;
        for (List<String> column : List.of(rows.ids, rows.keys, rows.types, rows.payloads)) {
            insert.setArray(parameter++, outbox.createArrayOf("text", column.toArray()));
        }
        insert.executeUpdate();
        outbox.commit();
    }

    private void mark(Batch rows) throws SQLException {
        for (int i = 0; i < batch; i++) {
            mark.setString(i + 1, i < rows.ids.size() ? rows.ids.get(i) : null);
        }
        mark.executeUpdate();
        source.commit();
    }
}
