package dev.caravan.camel.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Connections;
import dev.caravan.database.schema.DatabaseNotReady;
import dev.caravan.database.schema.DatabaseReadiness;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The sessions of a component: its lanes share a pool, which exists while the component runs. A database that was unavailable at the start is
 * checked before the first session. Until it is ready, no connection is given, and the lanes wait, as they do for any other failure.
 */
final class OutboxDatabase extends AbstractDataSource {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxDatabase.class);

    /** Many lanes ask at once: one of them checks, and the others get the same answer. */
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

    private final Clock clock;
    private volatile Connections connections;
    private volatile HikariDataSource pool;
    /** Null if nothing is to be checked. */
    private DatabaseReadiness readiness;

    private volatile boolean isReady;
    private SQLException lastFailure;
    private long failedAt;
    private String reported = "";

    OutboxDatabase(Clock clock) {
        this.clock = clock;
    }

    /**
     * Opens the pool, and checks the database if it is available.
     *
     * @param check null if nothing is to be checked
     * @throws DatabaseNotReady if a person must correct something
     * @throws SQLException if the database refuses this user
     */
    synchronized void open(Connections opened, DatabaseReadiness check) throws SQLException {
        readiness = check;
        lastFailure = null;
        isReady = check == null || check.isReady();
        connections = opened;
        pool = opened.outboxPool();
    }

    boolean isOpen() {
        return pool != null;
    }

    synchronized void close() {
        connections = null;
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        requireReady();
        HikariDataSource open = pool;
        if (open == null) {
            throw closed();
        }
        return open.getConnection();
    }

    /** @throws UnsupportedOperationException always: the user is that of the component */
    @Override
    public Connection getConnection(String user, String password) {
        throw new UnsupportedOperationException("The user of a session cannot be changed");
    }

    /** The connection for notifications. */
    DataSource wakeUp() {
        return outsideOfPool(Connections::wakeUp);
    }

    /** The connection that shows that this process is running. */
    DataSource presence() {
        return outsideOfPool(Connections::presence);
    }

    private DataSource outsideOfPool(Function<Connections, DataSource> kind) {
        Supplier<DataSource> source = () -> connections == null ? null : kind.apply(connections);
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                requireReady();
                DataSource open = source.get();
                if (open == null) {
                    throw closed();
                }
                return open.getConnection();
            }

            @Override
            public Connection getConnection(String user, String password) {
                throw new UnsupportedOperationException("The user of a session cannot be changed");
            }
        };
    }

    private static SQLException closed() {
        return new SQLException("The component outbox does not run", "08003");
    }

    private void requireReady() throws SQLException {
        if (!isReady && pool != null) {
            check();
        }
    }

    private synchronized void check() throws SQLException {
        if (isReady || readiness == null) {
            return;
        }
        if (lastFailure == null || clock.nanos() - failedAt >= BETWEEN_CHECKS.toNanos()) {
            lastFailure = failure();
            failedAt = clock.nanos();
        }
        if (lastFailure != null) {
            throw new SQLException(lastFailure.getMessage(), lastFailure.getSQLState(), lastFailure);
        }
        isReady = true;
    }

    /** Null if the database is ready. */
    private SQLException failure() {
        try {
            return readiness.isReady() ? null : new SQLException("The database is unavailable", "08006");
        } catch (DatabaseNotReady e) {
            if (!e.getMessage().equals(reported)) {
                reported = e.getMessage();
                LOG.error("The routes from the outbox wait, because a person must correct something. {}", reported);
            }
            return new SQLException(e.getMessage(), "55000", e);
        } catch (SQLException e) {
            return e;
        }
    }
}
