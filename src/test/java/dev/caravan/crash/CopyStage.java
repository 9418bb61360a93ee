package dev.caravan.crash;

import dev.caravan.TestMariaDb;
import dev.caravan.database.Database;
import dev.caravan.database.Sql;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.bench.run.SourceTable;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.MariaDbServer;
import dev.caravan.lab.servers.StoppablePostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;

/** An outbox table in a MariaDB and the outbox in a Postgres; both servers, and what copies, can be killed. */
final class CopyStage implements AutoCloseable {
    /** What copies the rows of the source: relays, or a loop. */
    interface Copier extends AutoCloseable {
        /** Called often: fails if what copies has ended although it should not, or starts it again. */
        void keepRunning() throws Exception;

        /** Sends SIGKILL to the process that copies. Another one takes its place. */
        void kill() throws Exception;

        /** Suspends the process that copies while another one takes its place, and then resumes it. */
        default void freeze() throws Exception {
            throw new UnsupportedOperationException();
        }

        /** Whether no work is left that the source does not show. */
        boolean isDone() throws Exception;

        @Override
        void close();
    }

    enum Fault {
        COPIER_KILLED,
        KILLED_BEFORE_COPY,
        KILLED_BEFORE_MARK,
        COPIER_FROZEN,
        SOURCE_KILLED,
        OUTBOX_KILLED
    }

    private static final Duration LIMIT = Duration.ofSeconds(180);
    private static final int LONGEST_PAUSE_MILLIS = 50;

    private final MariaDbServer mariadb = TestMariaDb.ownServer();
    private final SourceTable source = new SourceTable(mariadb);
    private final StoppablePostgres postgres;
    private Connection connection;
    private Connection sourceConnection;
    private volatile long marked;

    /** @param folder for the data of Postgres */
    CopyStage(Path folder) throws Exception {
        postgres = new StoppablePostgres(folder.resolve("postgres"));
        new Schema(Database.unpooled(url(), user(), "")).apply();
    }

    SourceTable source() {
        return source;
    }

    /** JDBC URL of the outbox. */
    String url() {
        return postgres.url(postgres.port());
    }

    String user() {
        return "postgres";
    }

    /**
     * Writes while faults happen, evenly distributed over the messages, and waits until everything is copied and marked.
     *
     * @param messages how many rows of the source are marked at the end, or some thousand more
     */
    CopyCheck run(Copier copies, int messages, List<Fault> faults, Random random) throws Exception {
        try (Copier copier = copies;
                var writers = SourceWriters.start(source, random.nextLong(), () -> marked)) {
            for (int i = 0; i < faults.size(); i++) {
                awaitMarked(copier, (long) messages * (i + 1) / (faults.size() + 1));
                awaitMoment(copier, random);
                happen(faults.get(i), copier, random);
            }
            awaitMarked(copier, messages);
            writers.stop();
            Await.until("the last rows are copied and marked", LIMIT, () -> {
                copier.keepRunning();
                return Sql.number(inSource(), "select count(*) from outbox where state = 0") == 0 && copier.isDone();
            });
        }
        return CopyCheck.of(source, outbox());
    }

    private void awaitMarked(Copier copier, long target) throws Exception {
        Await.until(target + " rows are marked", LIMIT, () -> {
            copier.keepRunning();
            marked = marked();
            return marked >= target;
        });
    }

    private long marked() throws SQLException {
        return Sql.number(inSource(), "select count(*) from outbox where state = 1");
    }

    /** Any moment, or just when rows have become visible in the outbox, or have been marked: between these two a kill does most harm. */
    private void awaitMoment(Copier copier, Random random) throws Exception {
        int moment = random.nextInt(3);
        if (moment == 0) {
            Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
        } else {
            awaitChange(copier, moment == 1 ? this::copied : this::marked);
        }
    }

    private static void awaitChange(Copier copier, Callable<Long> count) throws Exception {
        long before = count.call();
        long end = System.nanoTime() + LIMIT.toNanos();
        while (count.call() == before && System.nanoTime() < end) {
            copier.keepRunning();
            Thread.sleep(1);
        }
    }

    private long copied() throws SQLException {
        return Sql.number(outbox(), "select coalesce(max(id), 0) from outbox");
    }

    private void happen(Fault fault, Copier copier, Random random) throws Exception {
        switch (fault) {
            case COPIER_KILLED -> copier.kill();
            case KILLED_BEFORE_COPY -> killBeforeCopy(copier);
            case KILLED_BEFORE_MARK -> killBeforeMark(copier);
            case COPIER_FROZEN -> copier.freeze();
            case SOURCE_KILLED -> {
                mariadb.kill();
                Thread.sleep(random.nextInt(1_000));
                mariadb.startAgain();
            }
            case OUTBOX_KILLED -> {
                postgres.crash();
                Thread.sleep(random.nextInt(1_000));
                postgres.start();
            }
        }
    }

    /** Kills while the insert into the outbox waits for a lock. */
    private void killBeforeCopy(Copier copier) throws Exception {
        try (Connection holder = postgres.connect(user(), "test");
                var statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("lock table outbox in share mode");
            Await.until("a copy waits", LIMIT, () -> {
                copier.keepRunning();
                return Sql.number(
                                outbox(),
                                "select count(*) from pg_locks where relation = 'outbox'::regclass and not granted")
                        > 0;
            });
            copier.kill();
            holder.rollback();
        }
    }

    /** Kills while the mark of rows that have been copied waits for a lock on one of them. */
    private void killBeforeMark(Copier copier) throws Exception {
        try (Connection holder = source.connect()) {
            holder.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            holder.setAutoCommit(false);
            String row = lockPendingRow(holder);
            Await.until("row " + row + " is copied", LIMIT, () -> {
                copier.keepRunning();
                return Sql.number(outbox(), "select count(*) from outbox where message_id = '" + row + "'") > 0;
            });
            copier.kill();
            holder.rollback();
        }
    }

    private static String lockPendingRow(Connection holder) throws Exception {
        AtomicReference<String> row = new AtomicReference<>();
        try (var statement = holder.prepareStatement(
                "select id from outbox where state = 0 order by seq desc limit 1 for update skip locked")) {
            Await.until("a row is pending", LIMIT, () -> {
                try (var rows = statement.executeQuery()) {
                    row.set(rows.next() ? rows.getString(1) : null);
                }
                return row.get() != null;
            });
        }
        return row.get();
    }

    /** A connection to the outbox. */
    Connection outbox() throws SQLException {
        if (connection == null || !connection.isValid(10)) { // it ended with the server
            connection = postgres.connect(user(), "test");
        }
        return connection;
    }

    private Connection inSource() throws SQLException {
        if (sourceConnection == null || !sourceConnection.isValid(10)) {
            sourceConnection = source.connect();
        }
        return sourceConnection;
    }

    @Override
    public void close() throws IOException {
        postgres.close();
        mariadb.close();
    }
}
