package dev.caravan.monitoring;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that are refused, or not answered, while a database is unavailable. */
final class SwitchedDataSource extends DelegatingDataSource {
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean gone;
    private volatile CountDownLatch held = new CountDownLatch(0);

    SwitchedDataSource(DataSource target) {
        super(target);
    }

    void refuses() {
        gone = true;
    }

    void answers() {
        gone = false;
        held.countDown();
    }

    /** From now on a request for a connection gets neither a connection nor an error. */
    void hangs() {
        held = new CountDownLatch(1);
    }

    /** The number of callers that wait for a connection. */
    int waiting() {
        return waiting.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (gone) {
            throw new SQLException("Connection to db refused", "08001");
        }
        waiting.incrementAndGet();
        try {
            held.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        } finally {
            waiting.decrementAndGet();
        }
        return super.getConnection();
    }
}
