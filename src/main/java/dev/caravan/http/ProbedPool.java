package dev.caravan.http;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections of a pool; while the database is away only one thread waits for one, and the others hear so at once. */
public final class ProbedPool extends DelegatingDataSource {
    private final AtomicBoolean probing = new AtomicBoolean();
    private volatile SQLException away;

    public ProbedPool(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        SQLException known = away;
        if (known == null) {
            return connect();
        }
        if (!probing.compareAndSet(false, true)) {
            throw new SQLTransientConnectionException("the database is away", known);
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
            away = null;
            return connection;
        } catch (SQLTransientConnectionException e) {
            away = e;
            throw e;
        }
    }
}
