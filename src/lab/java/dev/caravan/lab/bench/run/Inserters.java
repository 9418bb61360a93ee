package dev.caravan.lab.bench.run;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Clients that insert messages as fast as possible, each message in its own transaction. */
public final class Inserters implements AutoCloseable {
    private final Size size;
    private final List<Connection> connections = new ArrayList<>();
    private final List<PreparedStatement> inserts = new ArrayList<>();
    private final ExecutorService threads;
    private long inserted;
    private long nanos;

    public Inserters(Outbox outbox, Size size, int clients) throws SQLException {
        this.size = size;
        threads = Executors.newFixedThreadPool(clients);
        for (int i = 0; i < clients; i++) {
            connections.add(outbox.connect());
            inserts.add(connections.get(i).prepareStatement(BenchSql.read("insert")));
        }
    }

    /** Inserts for this time and counts the messages. */
    public void run(long limit) throws Exception {
        long began = System.nanoTime();
        List<Future<Integer>> work = new ArrayList<>();
        for (PreparedStatement insert : inserts) {
            Callable<Integer> client = () -> insertUntil(began + limit, insert);
            work.add(threads.submit(client));
        }
        for (Future<Integer> client : work) {
            inserted += client.get();
        }
        nanos += System.nanoTime() - began;
    }

    private int insertUntil(long end, PreparedStatement insert) throws SQLException {
        int count = 0;
        for (; System.nanoTime() - end < 0; count++) {
            insert.setString(1, "order-" + count % size.keys());
            insert.setString(2, Content.TYPE);
            insert.setInt(3, count);
            insert.setInt(4, Math.max(1, size.bytes() - 30));
            insert.execute(); // autocommit
        }
        return count;
    }

    /** Resets the count. */
    public void reset() {
        inserted = 0;
        nanos = 0;
    }

    /** Transactions per second. */
    public double rate() {
        return inserted * 1e9 / nanos;
    }

    @Override
    public void close() throws SQLException {
        threads.shutdownNow();
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
