package dev.caravan.lab.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** The application of the demo: changes bookings and writes outbox messages about it in the same transaction. */
final class BookingApp implements AutoCloseable {
    private final DataSource database;
    private final TransactionPlan plan;
    private final EvenPace pace;
    private final ExecutorService connections;
    private final List<Future<?>> work = new ArrayList<>();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong rolledBack = new AtomicLong();
    private final Map<DemoDestination, AtomicLong> expected = new EnumMap<>(DemoDestination.class);
    private volatile boolean stopping;

    BookingApp(DataSource database, TransactionPlan plan, EvenPace pace) {
        this.database = database;
        this.plan = plan;
        this.pace = pace;
        this.connections = Executors.newCachedThreadPool();
        for (DemoDestination destination : DemoDestination.values()) {
            expected.put(destination, new AtomicLong());
        }
    }

    /** Creates the business tables and starts to write on this many connections. */
    void start(int connectionCount) throws SQLException {
        createBookings();
        for (int i = 0; i < connectionCount; i++) {
            work.add(connections.submit(() -> {
                write();
                return null;
            }));
        }
    }

    /** Messages committed so far. */
    long committed() {
        return committed.get();
    }

    /** Messages that were inserted and rolled back so far. */
    long rolledBack() {
        return rolledBack.get();
    }

    /** The number of committed messages for this destination. */
    long expectedAt(DemoDestination destination) {
        return expected.get(destination).get();
    }

    /** Whether all planned messages are written. Throws the error that stopped a connection. */
    boolean finished() {
        boolean all = true;
        for (Future<?> each : work) {
            all &= each.isDone();
            if (each.isDone()) {
                result(each);
            }
        }
        return all;
    }

    /** Stops after the transactions that are open now. */
    @Override
    public void close() {
        stopping = true;
        connections.shutdownNow(); // ends the pauses; open transactions continue to their end
        try {
            if (!connections.awaitTermination(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("The booking application did not stop writing within 30 s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void createBookings() throws SQLException {
        try (var connection = database.getConnection();
                var tables = connection.createStatement();
                var add = connection.prepareStatement(DemoSql.read("add-booking"))) {
            connection.setAutoCommit(false);
            tables.execute(DemoSql.read("business-tables"));
            for (Booking booking : plan.bookings().toList()) {
                add.setString(1, booking.id());
                add.setInt(2, booking.number());
                add.addBatch();
            }
            add.executeBatch();
            connection.commit();
        }
    }

    private void write() throws SQLException {
        try (var connection = database.getConnection();
                var statements = new BookingStatements(connection)) {
            connection.setAutoCommit(false);
            while (!stopping) {
                Optional<PlannedTransaction> next = plan.next();
                if (next.isEmpty()) {
                    return;
                }
                pace.await(next.get().messageIds().size());
                if (stopping) {
                    return;
                }
                run(next.get(), connection, statements);
            }
        }
    }

    private void run(PlannedTransaction transaction, Connection connection, BookingStatements statements)
            throws SQLException {
        Booking booking = transaction.booking();
        long before = statements.lock(booking);
        long seq = before;
        for (UUID messageId : transaction.messageIds()) {
            statements.insert(messageId, booking, ++seq);
        }
        statements.change(booking, seq);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(transaction.pauseMillis()));
        if (transaction.rollsBack()) {
            connection.rollback();
            rolledBack.addAndGet(seq - before);
        } else {
            connection.commit();
            count(booking, before, seq);
        }
    }

    private void count(Booking booking, long before, long after) {
        for (long seq = before + 1; seq <= after; seq++) {
            for (DemoDestination destination : DemoDestination.values()) {
                if (destination.expects(booking.type(seq))) {
                    expected.get(destination).incrementAndGet();
                }
            }
        }
        committed.addAndGet(after - before);
    }

    private static void result(Future<?> done) {
        try {
            done.get(0, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException(
                    "The booking application could not write: " + e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException("The booking application was interrupted", e);
        }
    }
}
