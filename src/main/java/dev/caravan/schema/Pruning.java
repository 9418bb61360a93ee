package dev.caravan.schema;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Removes the partitions of the outbox that are delivered everywhere and older than the retention: each is detached and
 * marked in one statement, then dropped. A process that dies in between leaves a marked table, which the next round of anybody
 * drops. Any number of relays and people may prune at once; one does it.
 *
 * <p>A detach needs the outbox for itself for a moment, and inserts queue behind it while it waits. It waits 50 ms at most, runs
 * 100 ms at most, and is not even begun while somebody has used the outbox for longer than a moment, such as a long query.
 */
public final class Pruning {
    private static final String LIMITS =
            "set lock_timeout = '50ms'; set statement_timeout = '100ms'; set synchronous_commit = off";
    private static final String NO_LIMITS = "reset lock_timeout; reset statement_timeout; reset synchronous_commit";
    private static final String NEEDED = "CV001";
    /** Lock or statement timeout, deadlock. */
    private static final Set<String> BUSY = Set.of("55P03", "57014", "40P01");

    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

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
            if (!isTrue(connection, "lock_prune")) {
                return new Round(pruned, Optional.of("another process is pruning at this moment"));
            }
            try {
                return new Round(pruned, prune(connection, retention, wanted, dropped));
            } finally {
                if (!connection.isClosed()) {
                    isTrue(connection, "unlock_prune");
                }
            }
        }
    }

    private Optional<String> prune(
            Connection connection, Retention retention, Predicate<Partition> wanted, Consumer<String> dropped)
            throws SQLException, InterruptedException {
        Optional<String> postponed = dropDetached(connection, dropped);
        for (Partition partition : Partition.all(connection, retention)) {
            if (partition.state() == Partition.State.READY && wanted.test(partition)) {
                Optional<String> busy = detach(connection, partition);
                if (busy.isPresent()) {
                    return busy; // the next one would meet the same transactions
                }
                postponed = dropDetached(connection, dropped);
            }
        }
        return postponed;
    }

    /** @return why it could not be done now */
    private Optional<String> detach(Connection connection, Partition partition)
            throws SQLException, InterruptedException {
        String busy = "";
        Duration pause = MOMENT;
        for (int attempt = 1; attempt <= attempts; attempt++) {
            Set<String> users = usersForLong(connection, partition);
            if (users.isEmpty()) {
                try {
                    detachNow(connection, partition);
                    return Optional.empty();
                } catch (SQLException e) {
                    if (NEEDED.equals(e.getSQLState())) {
                        return Optional.empty(); // a subscription came or went back since: the next round sees it
                    }
                    if (!BUSY.contains(String.valueOf(e.getSQLState()))) {
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
        return Optional.of(busy + "; " + partition.name() + " is pruned later");
    }

    /** Those who used the outbox before a moment and still do in the same transaction: waiting for them is in vain. */
    private static Set<String> usersForLong(Connection connection, Partition partition)
            throws SQLException, InterruptedException {
        Set<String> users = users(connection, partition);
        if (!users.isEmpty()) {
            Thread.sleep(MOMENT.toMillis());
            users.retainAll(users(connection, partition));
        }
        return users;
    }

    private static Set<String> users(Connection connection, Partition partition) throws SQLException {
        Set<String> users = new HashSet<>();
        try (var statement = connection.prepareStatement(Sql.file("outbox_users"))) {
            statement.setLong(1, partition.oid());
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

    /**
     * In autocommit, so that the server ends the transaction by itself. It is not waited for until it is on disk: what a crash
     * takes back is detached again, and the drop after it is written through.
     */
    private static void detachNow(Connection connection, Partition partition) throws SQLException {
        Partition.Ids ids = partition.ids().orElseThrow();
        String detach;
        try (var statement = connection.prepareStatement(Sql.file("detach_partition"))) {
            statement.setLong(1, partition.oid());
            statement.setLong(2, ids.lower());
            statement.setLong(3, ids.upper());
            try (var row = statement.executeQuery()) {
                row.next();
                detach = row.getString(1);
            }
        }
        withLimits(connection, detach);
    }

    private static void withLimits(Connection connection, String sql) throws SQLException {
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

    /** @return what is left because somebody reads it by its own name */
    private static Optional<String> dropDetached(Connection connection, Consumer<String> dropped) throws SQLException {
        Optional<String> left = Optional.empty();
        for (String[] table : detached(connection)) {
            try {
                drop(connection, table[1]);
                dropped.accept(table[0]);
            } catch (SQLException e) {
                if (!BUSY.contains(String.valueOf(e.getSQLState()))) {
                    throw e;
                }
                left = Optional.of(table[0] + " is detached, but somebody still reads it; it is dropped later");
            }
        }
        return left;
    }

    private static List<String[]> detached(Connection connection) throws SQLException {
        List<String[]> tables = new ArrayList<>();
        try (var statement = connection.prepareStatement(Sql.file("drop_pruned"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                tables.add(new String[] {rows.getString("name"), rows.getString("statement")});
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

    private static boolean isTrue(Connection connection, String file) throws SQLException {
        try (var statement = connection.prepareStatement(Sql.file(file));
                var row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
