package dev.caravan.lab.torture.fault;

import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.Connection;
import java.sql.SQLException;

/** Locks {@code outbox_subscription}, as a migration may do. */
final class TableLock {
    private final TorturedOutbox outbox;
    private Connection connection;

    TableLock(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    synchronized void take() throws SQLException {
        release();
        connection = outbox.connect();
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '2s'");
            statement.execute("lock table outbox_subscription in access exclusive mode");
        }
    }

    synchronized void release() throws SQLException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
