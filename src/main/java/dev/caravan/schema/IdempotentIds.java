package dev.caravan.schema;

import dev.caravan.database.SqlFile;
import dev.caravan.settings.Settings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The message ids that idempotent consumers remember in {@code outbox_idempotent}. */
public final class IdempotentIds {
    private static final int CHUNK = 10_000;

    private final DataSource dataSource;
    private final Duration retention;

    /** @param retention ids older than this are forgotten: longer than a repeat can come after its message */
    public IdempotentIds(DataSource dataSource, Duration retention) {
        this.dataSource = dataSource;
        this.retention = retention;
    }

    /** With the setting {@code caravan.idempotent.retention}. */
    public static IdempotentIds from(Settings settings, DataSource dataSource) {
        return new IdempotentIds(dataSource, retention(settings));
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(IdempotentIds::retention);
    }

    private static Duration retention(Settings settings) {
        return settings.duration("caravan.idempotent.retention", "30d", "1d", "3650d");
    }

    /** Forgets old ids, some thousands in a transaction, and returns how many. Any number of relays may do so at once. */
    public long prune() throws SQLException {
        long pruned = 0;
        try (var connection = dataSource.getConnection();
                var delete = connection.prepareStatement(SqlFile.file("schema/prune_idempotent"))) {
            delete.setLong(1, retention.toSeconds());
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
