package dev.caravan.engine.loop;

import dev.caravan.engine.store.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
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
        OptionalLong value = value(Sql.ANNOUNCE_SLEEP, TERM.toNanos() / 1_000);
        value.ifPresent(until -> announced = until);
        return value.isPresent();
    }

    /** Withdraws the announcement. Other sleeping relays may share it, so these are woken. */
    public void withdraw() throws SQLException {
        execute("unlisten *");
        value(Sql.WITHDRAW_SLEEP, announced);
        notifications.getNotifications(); // discards notifications received meanwhile
    }

    /** Waits for a notification up to a limit; returns whether there was one. */
    public boolean awaitNotification(Duration limit) throws SQLException {
        var received = notifications.getNotifications((int) limit.toMillis());
        return received != null && received.length > 0;
    }

    /** The transactions that now hold the lock of an insert on the outbox. */
    Set<String> writers() throws SQLException {
        Set<String> writers = new HashSet<>();
        try (var statement = connection.prepareStatement(Sql.WRITERS.text());
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                writers.add(rows.getString(1));
            }
        }
        return writers;
    }

    private OptionalLong value(Sql sql, long parameter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            statement.setLong(1, parameter);
            try (var row = statement.executeQuery()) {
                return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    /** The channel of this outbox: another outbox in the same database has its own channel. */
    private String channel() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select 'outbox_insert_' || 'outbox'::regclass::oid::text")) {
            row.next();
            return row.getString(1);
        }
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
