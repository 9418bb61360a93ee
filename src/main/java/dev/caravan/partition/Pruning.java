package dev.caravan.partition;

import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the partitions of the outbox that are delivered everywhere and older than the retention: each is detached and
 * marked in one statement, then dropped. A process that dies in between leaves a marked table, which the next round of anybody
 * drops. Any number of relays and people may prune at once; one does it.
 */
public final class Pruning {
    private static final Logger LOG = LoggerFactory.getLogger(Pruning.class);
    private static final String NEEDED = "CV001";
    private static final String NOT_ALL_MOVED = "CV003";

    private final DataSource dataSource;
    private final int attempts;

    /**
     * What a round did.
     *
     * @param pruned names of the tables that were dropped
     * @param postponed why ready partitions are left for the next round; empty when none are
     */
    public record Round(List<String> pruned, Optional<String> postponed) {}

    /** @param attempts how often to try a detach, with growing pauses, before it is left to the next round */
    public Pruning(DataSource dataSource, int attempts) {
        this.dataSource = dataSource;
        this.attempts = attempts;
    }

    /**
     * Prunes what is ready now.
     *
     * @param wanted asked about each partition that is ready, when its turn has come
     * @param progress told the name of each table that was dropped
     * @throws SQLException also when the role may not do it (42501); what was pruned before stays pruned
     */
    public Round run(Retention retention, Predicate<Partition> wanted, Consumer<String> progress)
            throws SQLException, InterruptedException {
        List<String> pruned = new ArrayList<>();
        Consumer<String> dropped = name -> {
            pruned.add(name);
            progress.accept(name);
        };
        try (Connection connection = dataSource.getConnection()) {
            if (!isTrue(connection, "partition/lock_changes")) {
                return new Round(pruned, Optional.of("another process is pruning at this moment"));
            }
            try {
                return new Round(pruned, prune(connection, retention, wanted, dropped));
            } finally {
                if (!connection.isClosed()) {
                    isTrue(connection, "partition/unlock_changes");
                }
            }
        }
    }

    private Optional<String> prune(
            Connection connection, Retention retention, Predicate<Partition> wanted, Consumer<String> dropped)
            throws SQLException, InterruptedException {
        Optional<String> postponed = dropDetached(connection, dropped);
        for (Partition partition : Partition.states(connection, retention)) {
            if (partition.state() == Partition.State.PRUNABLE && wanted.test(partition)) {
                Optional<String> busy = detach(connection, partition);
                if (busy.isPresent()) {
                    return busy; // the next one would meet the same transactions
                }
                postponed = dropDetached(connection, dropped);
            }
        }
        return postponed;
    }

    /**
     * What a crash takes back, as its commit is not waited for, is detached again; the drop after it is written through.
     *
     * @return why it could not be done now
     */
    private Optional<String> detach(Connection connection, Partition partition)
            throws SQLException, InterruptedException {
        try {
            return new ShortLock(connection, attempts)
                    .run(partition.oid(), () -> statement(connection, partition))
                    .map(busy -> busy + "; " + partition.name() + " is pruned later");
        } catch (SQLException e) {
            if (NEEDED.equals(e.getSQLState())) {
                return Optional.empty(); // a subscription came or was set back since: the next round sees it
            }
            throw e;
        }
    }

    private static String statement(Connection connection, Partition partition) throws SQLException {
        Partition.Ids ids = partition.ids().orElseThrow();
        try (var statement = connection.prepareStatement(SqlFile.file("partition/detach_partition"))) {
            statement.setLong(1, partition.oid());
            statement.setLong(2, ids.lower());
            statement.setLong(3, ids.upper());
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private record Leftover(String name, boolean pruned, String drop) {}

    /** @return what is left because somebody reads it by its own name */
    static Optional<String> dropDetached(Connection connection, Consumer<String> dropped) throws SQLException {
        Optional<String> left = Optional.empty();
        for (Leftover table : leftovers(connection)) {
            try {
                drop(connection, table.drop);
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
                    "Could not drop {}: it holds messages that are not in the outbox. It is kept; insert what is missing into"
                            + " the outbox as new messages, then drop it.",
                    table.name);
            return table.name + " holds messages that are not in the outbox";
        }
        if (ShortLock.isBusy(e)) {
            return table.name + " is detached, but somebody still reads it; it is dropped later";
        }
        throw e;
    }

    private static List<Leftover> leftovers(Connection connection) throws SQLException {
        List<Leftover> tables = new ArrayList<>();
        try (var statement = connection.prepareStatement(SqlFile.file("partition/drop_pruned"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                tables.add(
                        new Leftover(rows.getString("name"), rows.getBoolean("pruned"), rows.getString("statement")));
            }
        }
        return tables;
    }

    /** Nobody needs this table any more: only whoever names it can be in the way, and removing a large file takes its time. */
    private static void drop(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("set lock_timeout = '1s'");
            try {
                statement.execute(sql);
            } finally {
                if (!connection.isClosed()) {
                    statement.execute("reset lock_timeout");
                }
            }
        }
    }

    static boolean isTrue(Connection connection, String file) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file(file));
                var row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
