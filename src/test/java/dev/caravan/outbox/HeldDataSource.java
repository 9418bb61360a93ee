package dev.caravan.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that can be refused for a while, as when a database or the way to it is gone. */
final class HeldDataSource extends DelegatingDataSource {
    private volatile boolean gone;
    private final AtomicInteger given = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    HeldDataSource(DataSource target) {
        super(target);
    }

    void goes() {
        gone = true;
    }

    void comesBack() {
        gone = false;
    }

    /** How many times a connection was refused. */
    int refused() {
        return refused.get();
    }

    /** How many connections were given out. */
    int given() {
        return given.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (gone) {
            refused.incrementAndGet();
            throw new SQLException("told to be gone", "08001");
        }
        given.incrementAndGet();
        return super.getConnection();
    }
}
