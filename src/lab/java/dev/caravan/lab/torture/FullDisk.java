package dev.caravan.lab.torture;

import java.sql.SQLException;

/** Makes saves of relays fail with disk_full (SQLSTATE 53100). The triggers are defined in {@link TorturedOutbox}. */
final class FullDisk {
    /** The statements that fail. */
    enum At {
        /** Every save of progress and every renewal of a lease. */
        progress,
        /** Every write of messages that failed. */
        failures,
        /** The commit of a save, after all its statements have succeeded. */
        commit
    }

    private final TorturedOutbox outbox;

    FullDisk(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    void fill(At at) throws SQLException {
        outbox.execute("insert into full_disk values ('" + at + "')");
    }

    void free() throws SQLException {
        outbox.execute("delete from full_disk");
    }
}
