package dev.caravan.crash;

import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * An application: several threads that change locked aggregates and write messages in the same transactions, one to five
 * each. One transaction in twenty is rolled back, one in fifty commits late. The sequence numbers of a key are gapless.
 */
final class BusyApplication implements AutoCloseable {
    private static final int THREADS = 6;
    /** The maximum number of messages not yet received, so that the writers write during the whole test and not only at its start. */
    private static final int AHEAD = 2_000;

    private static final String AGGREGATES = """
            create table aggregate (key text primary key, sequence bigint not null default 0);
            insert into aggregate (key) select 'k' || n from generate_series(0, %d) n
            """;
    private static final String CHANGE =
            "update aggregate set sequence = sequence + ? where key = ? returning sequence - ?";
    private static final String APPEND = """
            insert into outbox (aggregate_type, aggregate_id, type, payload)
            select 'account', ?, 'account.changed', json_build_object('sequence', ?::bigint + n)
            from generate_series(1, ?) n order by n
            """;

    private final TestOutbox outbox;
    private final int messages;
    private final int keys;
    private final IntSupplier received;
    private final Duration thinkTime;
    private final AtomicInteger written = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final List<Future<?>> work = new ArrayList<>();
    private volatile boolean stopped;

    private BusyApplication(TestOutbox outbox, int messages, int keys, IntSupplier received, Duration thinkTime) {
        this.outbox = outbox;
        this.messages = messages;
        this.keys = keys;
        this.received = received;
        this.thinkTime = thinkTime;
    }

    /**
     * @param messages how many to commit, a few more or less
     * @param received how many different messages have arrived; writers stay at most two thousand ahead of it
     * @param thinkTime how long each of the six threads waits after a transaction
     */
    static BusyApplication start(
            TestOutbox outbox, int messages, int keys, long seed, IntSupplier received, Duration thinkTime)
            throws SQLException {
        outbox.execute(AGGREGATES.formatted(keys - 1));
        BusyApplication writers = new BusyApplication(outbox, messages, keys, received, thinkTime);
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed + i);
            writers.work.add(writers.threads.submit(() -> writers.write(random)));
        }
        return writers;
    }

    private Void write(Random random) throws Exception {
        try (Connection connection = outbox.unpooled().getConnection()) {
            connection.setAutoCommit(false);
            while (!stopped && written.get() < messages) {
                Await.until(
                        "the receiving side comes close: relays stand still, or messages are lost",
                        Duration.ofMinutes(5),
                        () -> stopped || written.get() < received.getAsInt() + AHEAD);
                transaction(connection, random);
                Thread.sleep(thinkTime.toMillis());
            }
        }
        return null;
    }

    private void transaction(Connection connection, Random random) throws SQLException {
        int count = 1 + random.nextInt(5);
        append(connection, "k" + random.nextInt(keys), count);
        if (random.nextInt(20) == 0) {
            connection.rollback();
            return;
        }
        if (random.nextInt(50) == 0) {
            connection.createStatement().execute("select pg_sleep(0.02)"); // its ids become visible after later ones
        }
        connection.commit();
        written.addAndGet(count);
    }

    private static void append(Connection connection, String key, int count) throws SQLException {
        try (var change = connection.prepareStatement(CHANGE);
                var append = connection.prepareStatement(APPEND)) {
            change.setInt(1, count);
            change.setString(2, key);
            change.setInt(3, count);
            var sequence = change.executeQuery();
            sequence.next();
            append.setString(1, key);
            append.setLong(2, sequence.getLong(1));
            append.setInt(3, count);
            append.executeUpdate();
        }
    }

    /** Waits until all is written; throws the failure of a writer. */
    void awaitEnd(Duration limit) throws Exception {
        for (Future<?> thread : work) {
            thread.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Writes nothing more; returns when the last transaction has ended. */
    void stop() throws Exception {
        stopped = true;
        awaitEnd(Duration.ofSeconds(180));
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
