package dev.caravan.lab.torture.fault;

import dev.caravan.database.Sql;
import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.Connection;
import java.sql.SQLException;

/** A transaction that holds locks, as a migration or a person may do. */
final class HeldLock {
    private final TorturedOutbox outbox;
    private final String sql;
    private Connection connection;

    /** @param sql takes the locks */
    HeldLock(TorturedOutbox outbox, String sql) {
        this.outbox = outbox;
        this.sql = sql;
    }

    synchronized void take() throws SQLException {
        release();
        connection = outbox.connect();
        connection.setAutoCommit(false);
        Sql.execute(connection, "set lock_timeout = '2s'");
        Sql.execute(connection, sql);
    }

    synchronized void release() throws SQLException {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }
}
