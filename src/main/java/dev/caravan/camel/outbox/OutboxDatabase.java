package dev.caravan.camel.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.caravan.base.clock.Clock;
import dev.caravan.database.Connections;
import dev.caravan.database.schema.DatabaseNotReady;
import dev.caravan.database.schema.DatabaseReadiness;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The sessions of a component: its lanes share a pool, which exists while the component runs. A database that was unavailable at the start is
 * checked before the first session. Until it is ready, no connection is given, and the lanes wait, as they do for any other failure.
 */
final class OutboxDatabase {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxDatabase.class);

    /** Many lanes ask at once: one of them checks, and the others get the same answer. */
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

    private final Clock clock;
    private volatile Connections connections;
    /** Those that were used, by name. Looked up without a lock, because each turn of a lane does so; changed with the lock of this object. */
    private final Map<String, HikariDataSource> pools = new ConcurrentHashMap<>();

    private final DataSource lanes = pool("outbox", Connections::outboxPool);
    private final DataSource ids = pool("ids", Connections::idsPool);
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
     * Lets connections be opened, and checks the database if it is available.
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
    }

    boolean isOpen() {
        return connections != null;
    }

    synchronized void close() {
        connections = null;
        pools.values().forEach(HikariDataSource::close);
        pools.clear();
    }

    /** The connections that all lanes share. */
    DataSource lanes() {
        return lanes;
    }

    /** The connection for notifications. */
    DataSource wakeUp() {
        return opening(Connections::wakeUp);
    }

    /** The connection that shows that this process is running. */
    DataSource presence() {
        return opening(Connections::presence);
    }

    /** The connections with which routes store and look up message ids, in a pool of their own, because many deliveries may do so at once. */
    DataSource ids() {
        return ids;
    }

    DataSource housekeeping() {
        return pool("housekeeping", Connections::housekeepingPool);
    }

    DataSource monitoring() {
        return pool("monitoring", Connections::monitoringPool);
    }

    private DataSource pool(String name, Function<Connections, HikariDataSource> kind) {
        return opening(any -> {
            HikariDataSource pool = pools.get(name);
            return pool == null ? opened(name, kind) : pool;
        });
    }

    /** Null if the component was stopped meanwhile. */
    private synchronized HikariDataSource opened(String name, Function<Connections, HikariDataSource> kind) {
        return connections == null ? null : pools.computeIfAbsent(name, none -> kind.apply(connections));
    }

    /** Connections of what {@code kind} opens, as soon as the database is ready. */
    private DataSource opening(Function<Connections, ? extends DataSource> kind) {
        return new AbstractDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                requireReady();
                Connections opened = connections;
                DataSource open = opened == null ? null : kind.apply(opened);
                if (open == null) {
                    throw new SQLException("The component outbox does not run", "08003");
                }
                return open.getConnection();
            }

            @Override
            public Connection getConnection(String user, String password) {
                throw new UnsupportedOperationException("The user of a session cannot be changed");
            }
        };
    }

    private void requireReady() throws SQLException {
        if (!isReady && isOpen()) {
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
