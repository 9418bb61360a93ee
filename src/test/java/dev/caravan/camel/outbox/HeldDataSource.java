package dev.caravan.camel.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that can be refused for a while, as when a database or the network to it is unavailable. */
final class HeldDataSource extends DelegatingDataSource {
    private volatile boolean unavailable;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    HeldDataSource(DataSource target) {
        super(target);
    }

    void becomeUnavailable() {
        unavailable = true;
    }

    void becomeAvailable() {
        unavailable = false;
    }

    /** The number of refused connections. */
    int refused() {
        return refused.get();
    }

    /** The number of connections that were opened. */
    int opened() {
        return opened.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (unavailable) {
            refused.incrementAndGet();
            throw new SQLException("told to be gone", "08001");
        }
        opened.incrementAndGet();
        return super.getConnection();
    }
}
