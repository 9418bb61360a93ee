package dev.caravan.partition;

import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Runs a statement that needs the outbox for itself for a moment; inserts queue behind it while it waits. It waits 50 ms at most
 * for a lock, runs 100 ms at most, and is not even begun while somebody has used the outbox for longer than a moment, such as a long
 * query. See docs/decisions/0006-pruning-by-a-short-lock.md.
 */
final class ShortLock {
    /** The planner's settings: tables that were just filled have no statistics, and each statement is served by the primary key. */
    private static final String LIMITS =
            "set lock_timeout = '50ms'; set statement_timeout = '100ms'; set synchronous_commit = off;"
                    + " set enable_seqscan = off; set enable_bitmapscan = off";

    private static final String NO_LIMITS = "reset lock_timeout; reset statement_timeout; reset synchronous_commit;"
            + " reset enable_seqscan; reset enable_bitmapscan";
    /** Lock or statement timeout, deadlock. */
    private static final Set<String> BUSY = Set.of("55P03", "57014", "40P01");

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Connection connection;
    private final int attempts;

    /** A statement, made anew for each attempt. */
    @FunctionalInterface
    interface Attempt {
        String statement() throws SQLException;
    }

    /** @param attempts how often to try, with growing pauses */
    ShortLock(Connection connection, int attempts) {
        this.connection = connection;
        this.attempts = attempts;
    }

    static boolean isBusy(SQLException e) {
        return BUSY.contains(String.valueOf(e.getSQLState()));
    }

    /**
     * @param partition oid of the partition that is locked besides the outbox and its default partition
     * @param attempt a single statement, run in autocommit, so that the server ends the transaction by itself. It is not waited
     *     for until it is on disk.
     * @return why it could not be done; empty when it is done
     */
    Optional<String> run(long partition, Attempt attempt) throws SQLException, InterruptedException {
        String busy = "";
        Duration pause = MOMENT;
        for (int number = 1; number <= attempts; number++) {
            Set<String> users = usersForLong(partition);
            if (users.isEmpty()) {
                try {
                    withLimits(attempt.statement());
                    return Optional.empty();
                } catch (SQLException e) {
                    if (!isBusy(e)) {
                        throw e;
                    }
                    busy = "the outbox was too busy to lock it for a moment";
                }
            } else {
                busy = "transactions hold locks on the outbox for long (" + String.join(", ", users) + ")";
            }
            Thread.sleep(pause.toMillis()); // inserts that queued behind the attempt go first
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
        return Optional.of(busy);
    }

    /** Those who used the outbox before a moment and still do in the same transaction: waiting for them is in vain. */
    private Set<String> usersForLong(long partition) throws SQLException, InterruptedException {
        Set<String> users = users(partition);
        if (!users.isEmpty()) {
            Thread.sleep(MOMENT.toMillis());
            users.retainAll(users(partition));
        }
        return users;
    }

    private Set<String> users(long partition) throws SQLException {
        Set<String> users = new HashSet<>();
        try (var statement = connection.prepareStatement(SqlFile.file("partition/outbox_users"))) {
            statement.setLong(1, partition);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    String pid = rows.getString("pid");
                    users.add((pid == null ? "prepared" : "pid " + pid) + " in transaction "
                            + rows.getString("virtualtransaction"));
                }
            }
        }
        return users;
    }

    private void withLimits(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(LIMITS);
            try {
                statement.execute(sql);
            } finally {
                if (!connection.isClosed()) {
                    statement.execute(NO_LIMITS);
                }
            }
        }
    }
}
