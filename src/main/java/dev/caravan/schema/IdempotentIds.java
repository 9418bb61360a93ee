package dev.caravan.schema;

import dev.caravan.database.SqlFile;
import dev.caravan.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The message ids that idempotent consumers remember in {@code outbox_idempotent}. */
public final class IdempotentIds {
    private static final int CHUNK = 10_000;

    private final DataSource dataSource;
    private final long retentionDays;

    /** @param retentionDays ids older than this are forgotten: longer than a repeat can come after its message */
    public IdempotentIds(DataSource dataSource, long retentionDays) {
        this.dataSource = dataSource;
        this.retentionDays = retentionDays;
    }

    /** With the setting {@code caravan.idempotent.retentionDays}. */
    public static IdempotentIds from(Settings settings, DataSource dataSource) {
        return new IdempotentIds(dataSource, retentionDays(settings));
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(IdempotentIds::retentionDays);
    }

    private static long retentionDays(Settings settings) {
        return settings.number("caravan.idempotent.retentionDays", 30, 1, 3650);
    }

    /** Forgets old ids, some thousands in a transaction, and returns how many. Any number of relays may do so at once. */
    public long prune() throws SQLException {
        long pruned = 0;
        try (var connection = dataSource.getConnection();
                var delete = connection.prepareStatement(SqlFile.file("prune_idempotent"))) {
            delete.setLong(1, retentionDays);
            delete.setInt(2, CHUNK);
            int chunk;
            do {
                chunk = delete.executeUpdate();
                pruned += chunk;
            } while (chunk == CHUNK);
        }
        return pruned;
    }
}
