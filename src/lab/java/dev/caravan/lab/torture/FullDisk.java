package dev.caravan.lab.torture;

import java.sql.SQLException;

/** Lets what relays save fail with disk_full (SQLSTATE 53100) while it is on; the triggers stand in TorturedOutbox. */
final class FullDisk {
    /** Which statements find no space. */
    enum At {
        /** Every save of progress and every renewal of a lease. */
        progress,
        /** What is stored of messages that failed. */
        failures,
        /** The commit of a save, when all its statements have succeeded. */
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
