package dev.caravan.lab.bench.contender;

import dev.caravan.database.SqlFile;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.Progress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/**
 * Settles missing ids for the raw loop, one set after the other. Transactions that may still fill the set hold a lock on the
 * outbox after the read that showed the ids missing. When they have ended, a complete read decides which ids are settled. Ignores
 * prepared transactions.
 */
final class RawSettling {
    private final PreparedStatement writers;
    private IdRanges suspects = new IdRanges();
    private Set<String> running = new HashSet<>();
    private boolean decides;

    RawSettling(Connection connection) throws SQLException {
        writers = connection.prepareStatement(SqlFile.file("engine/writers"));
    }

    /** Call before a read. */
    void readStarts(Progress progress) throws SQLException {
        if (!suspects.isEmpty()) {
            running.retainAll(writers());
            decides = running.isEmpty();
        } else if (!progress.missing().isEmpty()) {
            suspects = new IdRanges(progress.missing());
            running = writers();
        }
    }

    /**
     * Call after a read.
     *
     * @param complete whether the read has shown every visible message
     * @return whether ids were settled
     */
    boolean readEnded(Progress progress, boolean complete) {
        if (!decides || !complete) {
            return false;
        }
        progress.settle(suspects);
        suspects = new IdRanges();
        decides = false;
        return true;
    }

    private Set<String> writers() throws SQLException {
        Set<String> all = new HashSet<>();
        try (var rows = writers.executeQuery()) {
            while (rows.next()) {
                all.add(rows.getString(1));
            }
        }
        return all;
    }
}
