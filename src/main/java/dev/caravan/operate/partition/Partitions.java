package dev.caravan.operate.partition;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.clock.Pauses;
import dev.caravan.base.settings.Settings;
import dev.caravan.base.text.Reason;
import dev.caravan.database.AwaitedLock;
import dev.caravan.database.DatabaseFailure;
import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates partitions of the outbox before they are needed. A message without a partition is inserted into {@code outbox_default}, so
 * creating partitions is not urgent: the next call retries a failed step. Several relays may call at the same time.
 */
public final class Partitions {
    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

    /** Time until the next attempt to move messages. Copying can take long, so a failed move is not retried at once. */
    private static final Duration MOVE_PAUSE = Duration.ofMinutes(5);

    private static final Duration LONGEST_MOVE_PAUSE = Duration.ofHours(2);

    /** One partition to fill while the next one is created, and one in reserve. */
    private static final int AHEAD = 2;

    private static final String SETTING = "caravan.partition.size";

    private final DataSource dataSource;
    private final long size;
    private final int ahead;
    private final Clock clock;
    /** Warnings already logged: each text is logged once per process. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private final AwaitedLock creation;
    private final AwaitedLock changes;
    private final LastingProblem busy;
    private volatile long nextMove;
    private volatile Duration movePause = MOVE_PAUSE;

    /**
     * @param size ids in each new partition
     * @param ahead number of partitions to create after the current one
     */
    public Partitions(DataSource dataSource, long size, int ahead, Clock clock) {
        this.dataSource = dataSource;
        this.size = size;
        this.ahead = ahead;
        this.clock = clock;
        creation = new AwaitedLock("caravan partitions", "No partitions of the outbox are created", clock);
        changes = new AwaitedLock("caravan prune", "Messages of outbox_default get no partition of their own", clock);
        busy = new LastingProblem("No partitions of the outbox are created", clock);
        nextMove = clock.nanos();
    }

    /** @param size ids in each new partition */
    public Partitions(DataSource dataSource, long size) {
        this(dataSource, size, AHEAD, Clock.SYSTEM);
    }

    /** With the setting {@code caravan.partition.size}. */
    public static Partitions from(Settings settings, DataSource dataSource) {
        return new Partitions(dataSource, size(settings, SETTING));
    }

    /** The number of ids of a partition in a setting or option of this name. */
    public static long size(Settings settings, String name) {
        return settings.number(name, 1_000_000, 1_000, 1_000_000_000_000L);
    }

    /**
     * Creates missing partitions. Returns their number; 0 also when another relay is doing it.
     *
     * @throws SQLException when the database is unavailable; missing privileges and lock timeouts are only logged
     */
    public int makeAhead() throws SQLException {
        int made = 0;
        try (var connection = dataSource.getConnection()) {
            try {
                while (makeNext(connection)) {
                    made++;
                }
                busy.attempted(Optional.empty());
            } catch (SQLException e) {
                warn(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // the relay is stopping
            }
        }
        return made;
    }

    /** Creates one partition per transaction, so that a failure does not undo earlier ones. */
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
                FreeName name = FreeName.of(connection, nameOf(bounds.coveredTo));
                make(connection, name, bounds.coveredTo);
                if (!isReached(bounds.coveredTo, Bounds.read(connection).lastId)) { // ids may have been drawn meanwhile
                    connection.commit();
                    FreeName.reportTaken(name);
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
     * Whether ids of the next range are already drawn, or will be soon. Postgres refuses an insert into the default partition if
     * a partition for its id has just been attached, and refuses to attach a partition for rows that are in the default partition.
     */
    private boolean isInUse(Connection connection, Bounds bounds) throws SQLException {
        if (isReached(bounds.coveredTo, bounds.lastId)) {
            return true;
        }
        return Sql.file("operate/default_holds")
                .with("lower", bounds.coveredTo)
                .with("upper", bounds.coveredTo + size)
                .first(connection, row -> row.getBoolean(1))
                .orElseThrow();
    }

    /** The usual name of a partition. */
    static String nameOf(long lower) {
        return "outbox_from_" + lower;
    }

    private boolean isReached(long lower, long lastId) {
        return lower <= lastId + size / 10;
    }

    /** Creates a partition for a range in use, and moves the messages of the range from outbox_default into it. */
    private boolean move(Connection connection, long lower) throws SQLException, InterruptedException {
        if (clock.nanos() - nextMove < 0) {
            return false;
        }
        boolean locked = Pruning.isTrue(connection, "operate/lock_changes");
        changes.attempted(connection, locked);
        if (!locked) {
            return false;
        }
        try {
            long upper = upperBeyondUse(connection, lower);
            Optional<String> busy = new DefaultMove(connection, lower, upper, clock).run();
            busy.ifPresentOrElse(this::postpone, () -> moved(lower, upper));
            return busy.isEmpty();
        } catch (SQLException e) {
            // each attempt copies the messages again, and locks the outbox: what fails once will probably fail again
            postpone(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            throw e;
        } finally {
            if (!connection.isClosed()) {
                Pruning.isTrue(connection, "operate/unlock_changes");
            }
        }
    }

    /**
     * The end of the new partition: at least one partition size above the last id, so that ids do not pass it during the move. A message with a
     * higher id, which somebody has chosen, stays in outbox_default: a partition up to it could not be pruned for long.
     */
    private long upperBeyondUse(Connection connection, long lower) throws SQLException {
        long last = Bounds.read(connection).lastId;
        return lower + size * (last < lower ? 1 : (last - lower) / size + 2);
    }

    private void moved(long lower, long upper) {
        movePause = MOVE_PAUSE;
        LOG.info(
                "Created a partition for the ids from {} to {}, which were already in use, and moved their messages from"
                        + " outbox_default into it. Was no relay running, or is caravan.partition.size ({}) too small for the load?",
                lower,
                upper - 1,
                size);
    }

    private void postpone(String reason) {
        nextMove = clock.nanos() + movePause.toNanos();
        LOG.info(
                "Could not move the messages of outbox_default to a partition now: {}. They are delivered as usual."
                        + " Next attempt in {} minutes.",
                reason,
                movePause.toMinutes());
        movePause = Pauses.doubled(movePause, LONGEST_MOVE_PAUSE);
    }

    private boolean lock(Connection connection) throws SQLException {
        boolean locked = Pruning.isTrue(connection, "operate/lock_partitions");
        creation.attempted(connection, locked);
        return locked;
    }

    /**
     * Attaches a partition, which needs an exclusive lock on outbox_default. The limits bound how long inserts into outbox_default
     * and reads can wait behind it.
     */
    private void make(Connection connection, FreeName name, long lower) throws SQLException {
        Sql.execute(connection, "set local lock_timeout = '100ms'; set local statement_timeout = '1s'");
        Sql.execute(connection, definition(connection, name, lower));
    }

    private String definition(Connection connection, FreeName name, long lower) throws SQLException {
        return Sql.file("operate/make_partition")
                .with("name", name.name())
                .with("lower", lower)
                .with("upper", lower + size)
                .first(connection, row -> row.getString(1))
                .orElseThrow();
    }

    private void warn(SQLException e) throws SQLException {
        if (DatabaseFailure.in(e).filter(DatabaseFailure::waitingHelps).isPresent()) {
            throw e;
        }
        if (DatabaseFailure.NO_PRIVILEGE.equals(e.getSQLState())) {
            warnOnce("Could not create partitions of the outbox: " + e.getMessage()
                    + ". When the partitions are full, messages go to outbox_default; they are delivered as usual but"
                    + " not pruned until they are moved. Run ./caravan schema apply regularly as the owner of outbox, or make"
                    + " the relay's role a member of the owner.");
        } else if (ShortLock.isBusy(e)) {
            busy.attempted(Optional.of("an open transaction holds outbox_default, or the name of a new table: "
                    + Reason.of(e) + ". When the partitions are full, messages go to outbox_default."));
        } else {
            warnOnce("Could not create partitions of the outbox: " + e.getMessage()
                    + ". When the partitions are full, messages go to outbox_default. Will retry.");
        }
    }

    private void warnOnce(String text) {
        if (warned.add(text)) {
            LOG.warn(text);
        }
    }

    private record Bounds(long lastId, long coveredTo, int ahead) {
        static Bounds read(Connection connection) throws SQLException {
            return Sql.file("operate/partition_bounds").query(connection, Bounds.class).stream()
                    .findFirst()
                    .orElseThrow(() -> new SQLException("column outbox.id has no sequence", "42P01"));
        }
    }
}
