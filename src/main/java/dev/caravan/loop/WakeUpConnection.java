package dev.caravan.loop;

import dev.caravan.store.Sql;
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
 * A connection over which inserts wake this relay, while it has announced that it sleeps. Used by one thread. Every method
 * throws {@link SQLException} when the connection is lost, also when it is half open.
 */
public final class WakeUpConnection implements AutoCloseable {
    /** So long inserts go on ringing for a relay that vanished. */
    private static final Duration TERM = Duration.ofSeconds(30);

    private final Connection connection;
    private final PGConnection notifications;
    private long announced;

    public WakeUpConnection(DataSource dataSource) throws SQLException {
        connection = dataSource.getConnection();
        try {
            notifications = connection.unwrap(PGConnection.class);
            // Nobody has to wait until an announcement is on disk: after a crash it is made again.
            execute("set synchronous_commit = off");
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** From now on each insert rings, when its transaction commits; false where none would. */
    public boolean announce() throws SQLException {
        execute("listen outbox_insert");
        return renew();
    }

    /** Announces for another while; false where inserts do not ring any more. */
    public boolean renew() throws SQLException {
        OptionalLong value = value(Sql.ANNOUNCE_SLEEP, TERM.toNanos() / 1_000);
        value.ifPresent(until -> announced = until);
        return value.isPresent();
    }

    /** Inserts do not have to ring any more; other relays that sleep are woken, as it may be their announcement too. */
    public void withdraw() throws SQLException {
        execute("unlisten outbox_insert");
        value(Sql.WITHDRAW_SLEEP, announced);
        notifications.getNotifications(); // what rang meanwhile is old
    }

    /** Waits until it rings, at most for a time; returns whether it rang. */
    public boolean rings(Duration limit) throws SQLException {
        var rung = notifications.getNotifications((int) limit.toMillis());
        return rung != null && rung.length > 0;
    }

    /** The transactions that hold the lock of an insert on the outbox now. */
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
