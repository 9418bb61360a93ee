package dev.caravan.lab.bench.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * An application that commits one message per transaction at a steady rate on several connections. No two connections write
 * the same key, so that the numbers of a key are in order.
 */
public final class PacedWriter implements AutoCloseable {
    private static final int CONNECTIONS = 8;

    private final Outbox outbox;
    private final Size size;
    private final int first;
    private final int messages;
    private final int rate;
    private final int rollbackEvery;
    private IntFunction<String> type = number -> Content.TYPE;
    private final long[] commits;
    private final ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    private final List<Future<?>> work = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * @param first the number of the first message
     * @param messages the number of the last message, unless it is stopped before
     * @param rate transactions per second
     */
    public PacedWriter(Outbox outbox, Size size, int first, int messages, int rate) {
        this(outbox, size, first, messages, rate, Integer.MAX_VALUE);
    }

    /** @param rollbackEvery for one message in this many, the first transaction is rolled back and a second one commits */
    public PacedWriter(Outbox outbox, Size size, int first, int messages, int rate, int rollbackEvery) {
        this.outbox = outbox;
        this.size = size;
        this.first = first;
        this.messages = messages;
        this.rate = rate;
        this.rollbackEvery = rollbackEvery;
        commits = new long[messages + 1];
    }

    /** Writes messages of this many types instead of one. All messages of a key have the same type. */
    public PacedWriter ofTypes(int types) {
        type = number -> type(number % size.keys() % types);
        return this;
    }

    /** The name of one of the types, counted from 0. */
    public static String type(int type) {
        return "order." + type;
    }

    public void start() {
        long began = System.nanoTime();
        for (int i = 0; i < CONNECTIONS; i++) {
            int connection = i;
            Callable<Void> writing = () -> write(connection, began);
            work.add(threads.submit(writing));
        }
    }

    private Void write(int part, long began) throws SQLException {
        try (Connection connection = outbox.connect();
                var insert = connection.prepareStatement(BenchSql.read("insert"))) {
            for (int number = first + part; number <= messages && !stopped; number += CONNECTIONS) {
                awaitTurn(began + (number - first) * 1_000_000_000L / rate);
                insert.setString(1, "order-" + part + "-" + number % size.keys());
                insert.setString(2, type.apply(number));
                insert.setInt(3, number);
                insert.setInt(4, Math.max(1, size.bytes() - 30));
                if (number % rollbackEvery == 0) {
                    connection.setAutoCommit(false);
                    insert.execute();
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
                insert.execute(); // autocommit: committed when it returns
                commits[number] = System.currentTimeMillis();
            }
        }
        return null;
    }

    private void awaitTurn(long turn) {
        for (long left = turn - System.nanoTime(); left > 0 && !stopped; left = turn - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until everything is written. */
    public void awaitEnd() throws Exception {
        for (Future<?> part : work) {
            part.get();
        }
    }

    /** Stops writing, and waits until open transactions have ended. */
    public void stop() throws Exception {
        stopped = true;
        awaitEnd();
    }

    /** Whether a message was written. */
    public boolean wrote(int number) {
        return commits[number] > 0;
    }

    /** The time at which the commit of a message returned, in milliseconds of the clock; 0 if it was not written. */
    public long committedAt(int number) {
        return commits[number];
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdownNow();
    }
}
