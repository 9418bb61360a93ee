package dev.caravan.engine.loop;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * The connection that receives the notifications of inserts after this relay has announced that it sleeps. Not thread-safe.
 * Every method throws {@link SQLException} if the connection is lost or half open.
 */
public final class WakeUpConnection implements AutoCloseable {
    /** How long inserts send notifications after a sleeping relay has crashed. */
    private static final Duration TERM = Duration.ofSeconds(30);

    private final Connection connection;
    private final PGConnection notifications;
    private long announced;

    public WakeUpConnection(DataSource dataSource) throws SQLException {
        connection = dataSource.getConnection();
        try {
            notifications = connection.unwrap(PGConnection.class);
            // An announcement need not be durable: it is repeated after a crash.
            execute("set synchronous_commit = off");
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Makes each insert send a notification when its transaction commits; returns false if inserts cannot send one. */
    public boolean announce() throws SQLException {
        execute("listen " + channel());
        return renew();
    }

    /** Extends the announcement; returns false if inserts can no longer send notifications. */
    public boolean renew() throws SQLException {
        Optional<Long> value = Sql.file("engine/announce_sleep")
                .with("duration_micros", TERM.toNanos() / 1_000)
                .first(connection, row -> row.getLong(1));
        value.ifPresent(until -> announced = until);
        return value.isPresent();
    }

    /** Withdraws the announcement. Other sleeping relays may share it, so these are woken. */
    public void withdraw() throws SQLException {
        execute("unlisten *");
        Sql.file("engine/withdraw_sleep").with("announced", announced).query(connection, row -> row);
        notifications.getNotifications(); // discards notifications received meanwhile
    }

    /** Waits for a notification up to a limit; returns whether there was one. */
    public boolean awaitNotification(Duration limit) throws SQLException {
        var received = notifications.getNotifications((int) limit.toMillis());
        return received != null && received.length > 0;
    }

    /** The transactions that now hold the lock of an insert on the outbox. */
    Set<String> writers() throws SQLException {
        return new HashSet<>(Sql.file("engine/writers").query(connection, row -> row.getString(1)));
    }

    /** The channel of this outbox: another outbox in the same database has its own channel. */
    private String channel() throws SQLException {
        return Sql.text("select 'outbox_insert_' || 'outbox'::regclass::oid::text")
                .first(connection, row -> row.getString(1))
                .orElseThrow();
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
