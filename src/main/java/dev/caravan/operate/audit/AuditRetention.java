package dev.caravan.operate.audit;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Deletes old rows of the audit. */
public final class AuditRetention {
    private static final int CHUNK = 1_000;

    private final DataSource dataSource;
    private final Duration retention;

    /** @param retention rows older than this are deleted */
    public AuditRetention(DataSource dataSource, Duration retention) {
        this.dataSource = dataSource;
        this.retention = retention;
    }

    /** The retention in a setting or option of this name. */
    public static Duration retention(Settings settings, String name) {
        return settings.duration(name, "365d", "1d", "3650d");
    }

    /**
     * Deletes old rows, 1,000 per transaction, and returns their number; fewer if the thread is interrupted. Several relays may call it at the
     * same time.
     */
    public long prune() throws SQLException {
        long pruned = 0;
        int chunk;
        do {
            chunk = Transaction.run(dataSource, connection -> Sql.file("operate/prune_audit")
                    .with("limit", CHUNK)
                    .with("seconds", retention.toSeconds())
                    .update(connection));
            pruned += chunk;
        } while (chunk == CHUNK && !Thread.currentThread().isInterrupted());
        return pruned;
    }
}
