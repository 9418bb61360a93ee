package dev.caravan.crash;

import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.SourceTable;
import dev.caravan.lab.servers.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * An application of another database: four threads that change aggregates under their row locks and write one to five rows into its outbox
 * table in the same transactions. One transaction in twenty is rolled back, one in twenty commits late. A writer that loses its connection
 * goes on with a new one. The numbers of a key are gapless.
 */
final class SourceWriters implements AutoCloseable {
    private static final int THREADS = 4;
    private static final int KEYS = 200;
    /** The maximum number of rows not yet marked, so that the writers write during the whole test and not only at its start. */
    private static final int AHEAD = 3_000;

    private static final int LATEST_COMMIT_MILLIS = 100;

    private final SourceTable source;
    private final LongSupplier marked;
    private final AtomicInteger written = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final List<Future<?>> work = new ArrayList<>();
    private volatile boolean stopped;

    private SourceWriters(SourceTable source, LongSupplier marked) {
        this.source = source;
        this.marked = marked;
    }

    /**
     * @param marked how many rows are marked; writers stay at most some thousand ahead of it
     */
    static SourceWriters start(SourceTable source, long seed, LongSupplier marked) throws SQLException {
        source.execute("create table aggregate (id varchar(100) primary key, sequence bigint not null)");
        source.execute("insert into aggregate select concat('k', seq), 0 from seq_0_to_" + (KEYS - 1));
        SourceWriters writers = new SourceWriters(source, marked);
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed + i);
            Callable<Void> writing = () -> writers.write(random);
            writers.work.add(writers.threads.submit(writing));
        }
        return writers;
    }

    private Void write(Random random) throws Exception {
        while (!stopped) {
            try (Connection connection = source.connect();
                    var change = connection.prepareStatement(
                            "update aggregate set sequence = (@last := sequence + ?) where id = ?");
                    var last = connection.prepareStatement("select @last");
                    var append = connection.prepareStatement(BenchSql.read("source_insert"))) {
                connection.setAutoCommit(false);
                while (!stopped) {
                    Await.until(
                            "the copies come close: they stand still, or rows are lost",
                            Duration.ofMinutes(5),
                            () -> stopped || written.get() < marked.getAsLong() + AHEAD);
                    transaction(connection, change, last, append, random);
                }
            } catch (SQLException e) {
                Thread.sleep(20); // a kill: the table shows whether the last transaction was committed
            }
        }
        return null;
    }

    private void transaction(
            Connection connection,
            PreparedStatement change,
            PreparedStatement last,
            PreparedStatement append,
            Random random)
            throws SQLException, InterruptedException {
        int count = 1 + random.nextInt(5);
        String key = "k" + random.nextInt(KEYS);
        change.setInt(1, count);
        change.setString(2, key);
        change.executeUpdate();
        long number;
        try (var row = last.executeQuery()) {
            row.next();
            number = row.getLong(1) - count;
        }
        for (int i = 1; i <= count; i++) {
            append.setString(1, UUID.randomUUID().toString());
            append.setString(2, key);
            append.setString(3, "{\"sequence\":" + (number + i) + "}");
            append.addBatch();
        }
        append.executeBatch();
        if (random.nextInt(20) == 0) {
            connection.rollback();
            return;
        }
        if (random.nextInt(20) == 0) {
            Thread.sleep(
                    random.nextInt(LATEST_COMMIT_MILLIS)); // its rows become visible after later ones of other keys
        }
        connection.commit();
        written.addAndGet(count);
    }

    /** Writes nothing more; returns when the last transaction has ended. Throws the failure of a writer. */
    void stop() throws Exception {
        stopped = true;
        for (Future<?> thread : work) {
            thread.get(180, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
