package dev.caravan.operate.partition;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.text.Formatted;
import dev.caravan.database.AwaitedLock;
import dev.caravan.database.Sql;
import dev.caravan.database.TemporarySettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops the partitions of the outbox that are delivered to all subscriptions and older than the retention. Each is detached and
 * marked in one statement, then dropped. After a crash in between, the next round of any process drops the marked table. Several
 * processes may prune at the same time; one of them does the work.
 */
public final class Pruning {
    private static final Logger LOG = LoggerFactory.getLogger(Pruning.class);
    private static final String NEEDED = "CV001";
    private static final String NOT_ALL_MOVED = "CV003";
    /** The SQLSTATE of a drop on which other objects depend. */
    private static final String USED_BY_OTHERS = "2BP01";

    private static final int LONGEST_REASON = 500;

    private final DataSource dataSource;
    private final PartitionReader partitions = new PartitionReader();
    private final int attempts;
    private final AwaitedLock lock;

    /**
     * The result of a round.
     *
     * @param pruned names of the dropped tables
     * @param postponed why prunable partitions were not dropped; empty when all were
     */
    public record Round(List<String> pruned, Optional<String> postponed) {}

    /** @param attempts number of attempts to detach a partition, with increasing pauses */
    public Pruning(DataSource dataSource, int attempts) {
        this(dataSource, attempts, Clock.SYSTEM);
    }

    Pruning(DataSource dataSource, int attempts, Clock clock) {
        this.dataSource = dataSource;
        this.attempts = attempts;
        lock = new AwaitedLock("caravan prune", "Old messages are not removed", clock);
    }

    /**
     * Drops the partitions that are prunable now.
     *
     * @param wanted selects the prunable partitions to drop
     * @param progress receives the name of each dropped table
     * @throws SQLException also when the role lacks the privilege (42501); tables that were dropped before stay dropped
     */
    public Round run(Retention retention, Predicate<Partition> wanted, Consumer<String> progress)
            throws SQLException, InterruptedException {
        List<String> pruned = new ArrayList<>();
        Consumer<String> dropped = name -> {
            pruned.add(name);
            progress.accept(name);
        };
        try (Connection connection = dataSource.getConnection()) {
            boolean locked = isTrue(connection, "operate/lock_changes");
            Optional<String> holder = lock.attempted(connection, locked);
            if (!locked) {
                return new Round(
                        pruned,
                        Optional.of("another process is pruning"
                                + holder.map(": "::concat).orElse("")));
            }
            try {
                return new Round(pruned, prune(connection, retention, wanted, dropped));
            } finally {
                if (!connection.isClosed()) {
                    isTrue(connection, "operate/unlock_changes");
                }
            }
        }
    }

    private Optional<String> prune(
            Connection connection, Retention retention, Predicate<Partition> wanted, Consumer<String> dropped)
            throws SQLException, InterruptedException {
        Optional<String> postponed = dropDetached(connection, dropped);
        for (Partition partition : partitions.prunable(connection, retention)) {
            if (wanted.test(partition)) {
                Optional<String> busy = detach(connection, partition);
                if (busy.isPresent()) {
                    return busy; // the next one would be blocked too
                }
                postponed = dropDetached(connection, dropped);
            }
        }
        return postponed;
    }

    /**
     * Detaches a partition. The commit is not flushed to disk: if a crash undoes it, the partition is detached again later. The drop
     * that follows is flushed.
     *
     * @return why it could not be done now; empty on success
     */
    private Optional<String> detach(Connection connection, Partition partition)
            throws SQLException, InterruptedException {
        FreeName renamed = FreeName.of(
                connection,
                "outbox_default_to_" + (partition.ids().orElseThrow().upper() - 1));
        try {
            Optional<String> busy = new ShortLock(connection, attempts)
                    .run(partition.oid(), () -> statement(connection, partition, renamed));
            return busy.map(reason -> reason + "; " + partition.name() + " is pruned later");
        } catch (SQLException e) {
            if (NEEDED.equals(e.getSQLState())) {
                return Optional.of("a subscription that was added or set back meanwhile needs " + partition.name());
            }
            throw e;
        }
    }

    /** @param renamed the name of outbox_default when it is detached; others keep theirs */
    private static String statement(Connection connection, Partition partition, FreeName renamed) throws SQLException {
        Partition.Ids ids = partition.ids().orElseThrow();
        return Sql.file("operate/detach_partition")
                .with("oid", partition.oid())
                .with("lower", ids.lower())
                .with("upper", ids.upper())
                .with("renamed", renamed.name())
                .first(connection, row -> row.getString(1))
                .orElseThrow();
    }

    private record Leftover(String name, boolean pruned, String statement) {}

    /** @return why a detached table was not dropped; empty when all were */
    static Optional<String> dropDetached(Connection connection, Consumer<String> dropped) throws SQLException {
        Optional<String> left = Optional.empty();
        for (Leftover table : Sql.file("operate/drop_pruned").query(connection, Leftover.class)) {
            try {
                drop(connection, table.statement);
                Optional.of(table.name).filter(name -> table.pruned).ifPresent(dropped);
            } catch (SQLException e) {
                left = Optional.of(reason(table, e));
            }
        }
        return left;
    }

    private static String reason(Leftover table, SQLException e) throws SQLException {
        if (NOT_ALL_MOVED.equals(e.getSQLState())) {
            LOG.error(
                    "Could not drop {}: it contains messages that are not in the outbox. The table is not dropped. Insert the"
                            + " missing messages into the outbox as new messages, then drop it.",
                    table.name);
            return table.name + " contains messages that are not in the outbox";
        }
        if (ShortLock.isBusy(e)) {
            return table.name + " is detached, but a session still reads it; it is dropped later";
        }
        if (USED_BY_OTHERS.equals(
                e.getSQLState())) { // any role may create a view or a column of its row type, even a temporary one
            return table.name + " is detached, and is dropped when nothing depends on it any more ("
                    + Formatted.line(e.getMessage(), LONGEST_REASON) + ")";
        }
        throw e;
    }

    /** Drops a detached table. Only a session that reads it by name can block this. Removing a large file takes time. */
    private static void drop(Connection connection, String sql) throws SQLException {
        try (var limit = new TemporarySettings(connection, Map.of("lock_timeout", "1s"))) {
            Sql.execute(connection, sql);
        }
    }

    static boolean isTrue(Connection connection, String file) throws SQLException {
        return Sql.file(file).first(connection, row -> row.getBoolean(1)).orElseThrow();
    }
}
