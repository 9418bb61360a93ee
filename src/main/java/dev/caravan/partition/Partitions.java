package dev.caravan.partition;

import dev.caravan.clock.Clock;
import dev.caravan.database.SqlFile;
import dev.caravan.settings.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes partitions of the outbox before their ids are drawn. What no partition takes goes to {@code outbox_default}, so
 * nothing here is urgent: what cannot be done now is tried on the next call. Any number of relays may call at once.
 */
public final class Partitions {
    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);
    private static final String NO_PRIVILEGE = "42501";
    private static final Set<String> BUSY = Set.of("55P03", "57014", "40P01"); // lock or statement timeout, deadlock

    /** Copying may be much work: it is not done again at once when the swap found no moment. */
    private static final long MOVE_PAUSE_NANOS = 300_000_000_000L;

    /** One that is used up while the next one is made, and one to spare. */
    private static final int AHEAD = 2;

    private final DataSource dataSource;
    private final long size;
    private final int ahead;
    private final Clock clock;
    /** What was warned about already: each reason is told once in the life of a relay. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private volatile long nextMove;

    /**
     * @param size ids in each new partition
     * @param ahead how many partitions to keep beyond the one that ids are drawn for now
     */
    public Partitions(DataSource dataSource, long size, int ahead, Clock clock) {
        this.dataSource = dataSource;
        this.size = size;
        this.ahead = ahead;
        this.clock = clock;
        nextMove = clock.nanos();
    }

    /** With the setting {@code caravan.partition.size}. */
    public static Partitions from(Settings settings, DataSource dataSource) {
        return new Partitions(dataSource, size(settings), AHEAD, Clock.SYSTEM);
    }

    /** Reads each setting on its own, so that all wrong values can be told at once. */
    public static List<Consumer<Settings>> settings() {
        return List.of(Partitions::size);
    }

    private static long size(Settings settings) {
        return settings.number("caravan.partition.size", 1_000_000, 1_000, 1_000_000_000_000L);
    }

    /**
     * Makes what is missing and returns how many partitions were made; 0 also when another relay is at it.
     *
     * @throws SQLException when the database is away; lack of privilege and busy tables are only warned about
     */
    public int makeAhead() throws SQLException {
        int made = 0;
        try (var connection = dataSource.getConnection()) {
            try {
                while (makeNext(connection)) {
                    made++;
                }
            } catch (SQLException e) {
                warn(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the relay stops
            }
        }
        return made;
    }

    /** One partition per transaction, so that what was made stays when the next one has to wait. */
    private boolean makeNext(Connection connection) throws SQLException, InterruptedException {
        connection.setAutoCommit(false);
        Bounds bounds;
        try {
            if (!lock(connection)) {
                return false;
            }
            bounds = Bounds.read(connection);
            if (bounds.ahead >= ahead || bounds.coveredTo > Long.MAX_VALUE - size) {
                return false;
            }
            if (!isInUse(connection, bounds)) {
                make(connection, bounds.coveredTo);
                if (!isReached(
                        bounds.coveredTo, Bounds.read(connection).lastId)) { // ids are drawn while it is attached
                    connection.commit();
                    return true;
                }
            }
        } finally {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
        return move(connection, bounds.coveredTo);
    }

    /**
     * Whether ids of the next range are drawn already, or will be within a moment. Postgres refuses a row that is on its way to
     * the default partition while its range gets a partition, and a partition whose rows lie in the default partition.
     */
    private boolean isInUse(Connection connection, Bounds bounds) throws SQLException {
        if (isReached(bounds.coveredTo, bounds.lastId)) {
            return true;
        }
        try (var statement = connection.prepareStatement(SqlFile.file("partition/default_holds_from"))) {
            statement.setLong(1, bounds.coveredTo);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getBoolean(1);
            }
        }
    }

    private boolean isReached(long lower, long lastId) {
        return lower <= lastId + size / 10;
    }

    /** Gives a range that is in use a partition, and the messages of the range that lie in outbox_default with it. */
    private boolean move(Connection connection, long lower) throws SQLException, InterruptedException {
        if (clock.nanos() - nextMove < 0 || !Pruning.isTrue(connection, "partition/lock_changes")) {
            return false;
        }
        try {
            long upper = upperBeyondUse(connection, lower);
            Optional<String> busy = new DefaultMove(connection, lower, upper, clock).run();
            busy.ifPresentOrElse(
                    this::postpone,
                    () -> LOG.info(
                            "Made a partition for the ids from {} to {}, which were in use already, and moved their messages from"
                                    + " outbox_default into it. Was the relay off, or is caravan.partition.size ({}) small for the load?",
                            lower,
                            upper - 1,
                            size));
            return busy.isEmpty();
        } finally {
            if (!connection.isClosed()) {
                Pruning.isTrue(connection, "partition/unlock_changes");
            }
        }
    }

    /** At least the size of a partition beyond what is in use, so that the ids do not run past it while messages are moved. */
    private long upperBeyondUse(Connection connection, long lower) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("partition/highest_id"));
                var row = statement.executeQuery()) {
            row.next();
            long highest = Math.max(row.getLong(1), Bounds.read(connection).lastId);
            return lower + size * (highest < lower ? 1 : (highest - lower) / size + 2);
        }
    }

    private void postpone(String reason) {
        nextMove = clock.nanos() + MOVE_PAUSE_NANOS;
        LOG.info(
                "Could not move the messages of outbox_default to a partition of their own now: {}. They are delivered as"
                        + " usual; next try in five minutes.",
                reason);
    }

    private static boolean lock(Connection connection) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("partition/lock_partitions"));
                var row = statement.executeQuery()) {
            row.next();
            return row.getBoolean(1);
        }
    }

    /**
     * Attaching needs outbox_default for itself for a moment. It gives up rather than make inserts into outbox_default or
     * reads wait behind it for longer than these limits.
     */
    private void make(Connection connection, long lower) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("set local lock_timeout = '100ms'; set local statement_timeout = '1s'");
            statement.execute(definition(connection, lower));
        }
    }

    private String definition(Connection connection, long lower) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file("partition/make_partition"))) {
            statement.setLong(1, lower);
            statement.setLong(2, lower + size);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private void warn(SQLException e) throws SQLException {
        String state = String.valueOf(e.getSQLState());
        if (state.startsWith("08") || state.startsWith("57P")) {
            throw e;
        }
        if (NO_PRIVILEGE.equals(state)) {
            warnOnce("Could not make partitions of the outbox: " + e.getMessage()
                    + ". Messages go to outbox_default when the partitions are used up; they are delivered as usual but"
                    + " not pruned until they are moved. Run ./caravan schema apply regularly as the owner of outbox, or make the relay's"
                    + " role a member of the owner.");
        } else if (BUSY.contains(state)) {
            LOG.debug("Could not attach a partition now, next try later: {}", e.getMessage());
        } else {
            warnOnce("Could not make partitions of the outbox: " + e.getMessage()
                    + ". Messages go to outbox_default when the partitions are used up; tried again later.");
        }
    }

    private void warnOnce(String text) {
        if (warned.add(text)) {
            LOG.warn(text);
        }
    }

    private record Bounds(long lastId, long coveredTo, int ahead) {
        static Bounds read(Connection connection) throws SQLException {
            try (var statement = connection.prepareStatement(SqlFile.file("partition/partition_bounds"));
                    var row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the ids of outbox have no sequence", "42P01");
                }
                return new Bounds(row.getLong("last_id"), row.getLong("covered_to"), row.getInt("ahead"));
            }
        }
    }
}
