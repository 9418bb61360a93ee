package dev.caravan.lab.torture.fault;

import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Opens every connection that Postgres allows to ordinary roles, like an application that leaks connections. */
final class HeldConnections {
    private static final int ROUNDS = 3;
    private static final String TOO_MANY_CONNECTIONS = "53300";

    private final TorturedOutbox outbox;
    private final Deque<Connection> held = new ArrayDeque<>();

    HeldConnections(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    /** Returns when all are open. Ends the connections of relays first. Relays may reconnect before the last of them are open. */
    synchronized void take() throws SQLException {
        for (int i = 0; i < ROUNDS; i++) {
            outbox.terminate(TorturedOutbox.RELAYS);
            holdAll();
        }
    }

    private void holdAll() throws SQLException {
        while (true) {
            try {
                held.push(outbox.connect(TorturedOutbox.APPLICATION, "torture-leak"));
            } catch (SQLException e) {
                if (TOO_MANY_CONNECTIONS.equals(e.getSQLState())) {
                    return;
                }
                throw e;
            }
        }
    }

    synchronized void release() throws SQLException {
        while (!held.isEmpty()) {
            held.pop().close();
        }
    }
}
