package dev.caravan.lab.torture.fault;

import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

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
    private final Set<At> full = EnumSet.noneOf(At.class);

    FullDisk(TorturedOutbox outbox) {
        this.outbox = outbox;
    }

    synchronized void fill(At at) throws SQLException {
        full.add(at);
        repeat();
    }

    synchronized void free() throws SQLException {
        full.clear();
        repeat();
    }

    /**
     * Makes the same statements fail on a promoted replica, which may lack the last change. Does not wait for a replica, because a former
     * primary has none.
     */
    synchronized void repeat() throws SQLException {
        String rows = full.stream().map(at -> "('" + at + "')").collect(Collectors.joining(", "));
        outbox.execute("begin; set local synchronous_commit = local; delete from full_disk; "
                + (full.isEmpty() ? "" : "insert into full_disk values " + rows + "; ") + "commit");
    }
}
