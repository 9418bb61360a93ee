package dev.caravan.database.schema;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Sql;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The message ids that idempotent consumers have stored in {@code outbox_idempotent}. */
public final class IdempotentIds {
    private static final int CHUNK = 10_000;

    private final DataSource dataSource;
    private final Duration retention;

    /** @param retention ids older than this are removed; must be longer than the time within which a message can be repeated */
    public IdempotentIds(DataSource dataSource, Duration retention) {
        this.dataSource = dataSource;
        this.retention = retention;
    }

    /** The retention in a setting or option of this name. */
    public static Duration retention(Settings settings, String name) {
        return settings.duration(name, "30d", "1d", "3650d");
    }

    /**
     * Removes old ids, 10,000 per transaction, and returns their number; fewer if the thread is interrupted. Several relays may call it at
     * the same time.
     */
    public long prune() throws SQLException {
        long pruned = 0;
        Sql delete = Sql.file("database/prune_idempotent")
                .with("seconds", retention.toSeconds())
                .with("most", CHUNK);
        int chunk;
        do {
            chunk = delete.update(dataSource);
            pruned += chunk;
        } while (chunk == CHUNK && !Thread.currentThread().isInterrupted());
        return pruned;
    }
}
