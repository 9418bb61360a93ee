package dev.caravan.operate.partition;

import dev.caravan.base.clock.Pauses;
import dev.caravan.database.Sql;
import dev.caravan.database.TemporarySettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.camel.util.function.ThrowingSupplier;

/**
 * Runs a statement that needs an exclusive lock on the outbox. Inserts queue behind it while it waits, so it waits at most 50 ms
 * for the lock and runs at most 100 ms. It is not started while a transaction has used the outbox for more than 100 ms. See
 * docs/decisions/0006-pruning-by-a-short-lock.md.
 */
final class ShortLock {
    /** Includes planner settings: new tables have no statistics, and each statement must use the primary key. */
    private static final Map<String, String> LIMITS = Map.of(
            "lock_timeout", "50ms",
            "statement_timeout", "100ms",
            "synchronous_commit", "off",
            "enable_seqscan", "off",
            "enable_bitmapscan", "off");

    /** The SQLSTATEs of a lock timeout, a statement timeout and a deadlock. */
    private static final Set<String> BUSY = Set.of("55P03", "57014", "40P01");

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Connection connection;
    private final int attempts;

    /** @param attempts number of attempts, with increasing pauses */
    ShortLock(Connection connection, int attempts) {
        this.connection = connection;
        this.attempts = attempts;
    }

    static boolean isBusy(SQLException e) {
        return BUSY.contains(String.valueOf(e.getSQLState()));
    }

    /**
     * @param partition oid of the partition that is locked in addition to the outbox and its default partition
     * @param statement creates for each attempt a single statement, run in autocommit mode, so that the server ends the transaction. The
     *     commit is not flushed to disk.
     * @return why it could not be done; empty on success
     */
    Optional<String> run(long partition, ThrowingSupplier<String, SQLException> statement)
            throws SQLException, InterruptedException {
        String busy = "";
        Duration pause = MOMENT;
        for (int number = 1; number <= attempts; number++) {
            Set<String> users = longUsers(partition);
            if (users.isEmpty()) {
                try {
                    withLimits(statement.get());
                    return Optional.empty();
                } catch (SQLException e) {
                    if (!isBusy(e)) {
                        throw e;
                    }
                    busy = "the lock on the outbox was not available";
                }
            } else {
                busy = "long transactions hold locks on the outbox (" + String.join(", ", users) + ")";
            }
            Thread.sleep(pause.toMillis()); // inserts that queued behind the attempt run now
            pause = Pauses.doubled(pause, LONGEST_PAUSE);
        }
        return Optional.of(busy);
    }

    /** The transactions that have used the outbox for more than 100 ms. They may take too long to wait for them. */
    private Set<String> longUsers(long partition) throws SQLException, InterruptedException {
        Set<String> users = users(partition);
        if (!users.isEmpty()) {
            Thread.sleep(MOMENT.toMillis());
            users.retainAll(users(partition));
        }
        return users;
    }

    private Set<String> users(long partition) throws SQLException {
        return new HashSet<>(
                Sql.file("operate/outbox_users").with("partition", partition).query(connection, row -> {
                    String pid = row.getString("pid");
                    return (pid == null ? "prepared" : "pid " + pid) + " in transaction "
                            + row.getString("virtualtransaction");
                }));
    }

    private void withLimits(String sql) throws SQLException {
        try (var limits = new TemporarySettings(connection, LIMITS)) {
            Sql.execute(connection, sql);
        }
    }
}
