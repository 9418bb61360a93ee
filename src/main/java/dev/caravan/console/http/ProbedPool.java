package dev.caravan.console.http;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A connection pool that fails fast: while the database is unavailable, one thread tries to connect and all others fail at once. */
public final class ProbedPool extends DelegatingDataSource {
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile SQLException lastFailure;

    public ProbedPool(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        SQLException failure = lastFailure;
        if (failure == null) {
            return connect();
        }
        if (!probing.compareAndSet(false, true)) {
            throw new SQLTransientConnectionException("the database is unavailable", failure);
        }
        try {
            return connect();
        } finally {
            probing.set(false);
        }
    }

    private Connection connect() throws SQLException {
        try {
            Connection connection = super.getConnection();
            lastFailure = null;
            return connection;
        } catch (SQLTransientConnectionException e) {
            lastFailure = e;
            throw e;
        }
    }
}
