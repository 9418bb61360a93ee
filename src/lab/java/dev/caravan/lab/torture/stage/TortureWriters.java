package dev.caravan.lab.torture.stage;

import dev.caravan.lab.torture.receiver.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An application with several threads. Each transaction changes a locked aggregate and writes one to four messages. Some
 * transactions and savepoints are rolled back, some commit late, and a writer that loses its connection continues
 * with a new one. The committed sequence numbers of a key are gapless.
 */
public final class TortureWriters implements AutoCloseable {
    /** The name of its connections. */
    public static final String NAME = "torture-writer";

    /** The pattern of all message types. */
    static final String EVERYTHING = "account.*";
    /** The pattern of the message types of some keys. */
    static final String WATCHED = "account.watched*";
    /** The type of the messages of one key in twenty. */
    static final String RARE = "account.watched.rare";

    /** A text that occurs in each payload and nowhere else. */
    public static final String IN_EVERY_PAYLOAD = "\"filler\"";

    private static final int THREADS = 4;
    private static final int KEYS = 200;
    private static final int WATCHED_KEYS = 30;
    private static final int RARE_KEYS = KEYS / 20;
    private static final int FILLER = 2_000_000;

    private static final String AGGREGATES = """
            create table aggregate (key text primary key, sequence bigint not null default 0);
            insert into aggregate (key) select 'k' || n from generate_series(0, %d) n;
            grant select, update on aggregate to application
            """;
    private static final String CHANGE =
            "update aggregate set sequence = sequence + ? where key = ? returning sequence - ?";
    private static final String APPEND = """
            insert into outbox (aggregate_type, aggregate_id, type, payload)
            select 'account', ?, ?,
                   json_build_object('sequence', ?::bigint + n, 'kind', ?::text, 'filler', repeat('x', ?))
            from generate_series(1, ?) n order by n
            """;

    private final TorturedOutbox outbox;
    private final long pauseNanos;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final Map<String, Long> acknowledged = new ConcurrentHashMap<>();
    private final List<Future<?>> work = new ArrayList<>();
    private volatile boolean stopped;

    private TortureWriters(TorturedOutbox outbox, Duration pause) {
        this.outbox = outbox;
        pauseNanos = pause.toNanos();
    }

    /** @param pause the time that each thread waits after a transaction */
    public static TortureWriters start(TorturedOutbox outbox, long seed, Duration pause) throws SQLException {
        outbox.execute(AGGREGATES.formatted(KEYS - 1));
        TortureWriters writers = new TortureWriters(outbox, pause);
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed + i);
            writers.work.add(writers.threads.submit(() -> writers.write(random)));
        }
        return writers;
    }

    private void write(Random random) {
        while (!stopped) {
            try (Connection connection = outbox.server().connectToAny(TorturedOutbox.APPLICATION, NAME)) {
                connection.setAutoCommit(false);
                while (!stopped) {
                    transaction(connection, random);
                    LockSupport.parkNanos(pauseNanos);
                }
            } catch (SQLException e) {
                LockSupport.parkNanos(
                        pauseNanos); // a fault: the outbox shows whether the last transaction was committed
            }
        }
    }

    private void transaction(Connection connection, Random random) throws SQLException {
        int key = random.nextInt(KEYS);
        if (random.nextInt(30) == 0) {
            Savepoint before = connection.setSavepoint();
            append(connection, key, 1, Kind.plain);
            connection.rollback(before);
        }
        long last = append(connection, key, 1 + random.nextInt(4), kind(random));
        if (random.nextInt(20) == 0) {
            connection.rollback();
            return;
        }
        if (random.nextInt(50) == 0) {
            LockSupport.parkNanos(random.nextInt(400) * 1_000_000L); // its ids become visible after later ones
        }
        connection.commit();
        acknowledged.merge("k" + key, last, Math::max);
    }

    /** The highest sequence number of each key whose commit was acknowledged. */
    public Map<String, Long> acknowledged() {
        return Map.copyOf(acknowledged);
    }

    private static Kind kind(Random random) {
        int draw = random.nextInt(600);
        return draw < 3 ? Kind.poison : draw < 9 ? Kind.failing : draw == 9 ? Kind.large : Kind.plain;
    }

    /** Returns the sequence number of the last message. */
    private static long append(Connection connection, int number, int count, Kind kind) throws SQLException {
        try (var change = connection.prepareStatement(CHANGE);
                var append = connection.prepareStatement(APPEND)) {
            String key = "k" + number;
            change.setInt(1, count);
            change.setString(2, key);
            change.setInt(3, count);
            var sequence = change.executeQuery();
            sequence.next();
            append.setString(1, key);
            append.setString(2, type(number));
            long before = sequence.getLong(1);
            append.setLong(3, before);
            append.setString(4, kind.name());
            append.setInt(5, kind == Kind.large ? FILLER : 0);
            append.setInt(6, count);
            append.executeUpdate();
            return before + count;
        }
    }

    private static String type(int key) {
        return key < RARE_KEYS ? RARE : key < WATCHED_KEYS ? "account.watched" : "account.changed";
    }

    /** Stops writing. Returns when the last transaction has ended. */
    public void stop(Duration limit) throws Exception {
        stopped = true;
        for (Future<?> thread : work) {
            thread.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
