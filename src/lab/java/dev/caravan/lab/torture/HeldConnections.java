package dev.caravan.lab.torture;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

/** Takes every connection that Postgres has for ordinary roles, as an application does that leaks them. */
final class HeldConnections {
    private static final int ROUNDS = 3;
    private static final String TOO_MANY_CONNECTIONS = "53300";

    private final TorturedOutbox outbox;
    private final Deque<Connection> held = new ArrayDeque<>();

    HeldConnections(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    /** Returns when all are held; those of relays are ended first, so that they notice. A few may be quicker than this. */
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
