package dev.caravan.operate.partition;

import dev.caravan.base.clock.Clock;
import dev.caravan.database.Sql;
import dev.caravan.database.TemporarySettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Moves messages from outbox_default to a new partition. Messages are inserted into outbox_default when ids pass the last partition
 * while no relay runs. They are copied to a separate table in small batches, up to an id below which no open transaction can insert;
 * then one short statement copies the rest and swaps the tables. Readers see each message exactly once at any time, and inserts
 * continue during the move. After a crash outbox_default is unchanged.
 */
final class DefaultMove {
    /** The SQLSTATEs of ids above the range: raised by swap_default, or a violation of the check constraint of the new table. */
    private static final Set<String> PAST_THE_RANGE = Set.of("CV002", "23514");
    /**
     * The statistics of outbox_default are unreliable: each batch must use the primary key. An open transaction of a role that may create in the
     * schema can hold the name of a new table.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            "plan_cache_mode", "force_custom_plan",
            "enable_seqscan", "off",
            "enable_bitmapscan", "off",
            "lock_timeout", "1s");

    private static final int BATCH = 5_000;
    /** Number of ids that may be copied while inserts wait. */
    private static final int REST = 1_000;

    private static final int PASSES = 10;
    private static final int ATTEMPTS = 10;
    private static final long LONGEST_WAIT_NANOS = 30_000_000_000L;

    private final Connection connection;
    private final long lower;
    private final long upper;
    private final Clock clock;
    /** The names of the new tables: the partition before it is attached, and the next outbox_default. */
    private FreeName moving;

    private FreeName next;

    /**
     * @param connection in autocommit mode, holding the lock of lock_changes
     * @param lower first id of the new partition
     * @param upper end of the new partition, exclusive; well above the last id drawn
     */
    DefaultMove(Connection connection, long lower, long upper, Clock clock) {
        this.connection = connection;
        this.lower = lower;
        this.upper = upper;
        this.clock = clock;
    }

    /** @return why it could not be done now; empty on success */
    Optional<String> run() throws SQLException, InterruptedException {
        try (var settings = new TemporarySettings(connection, SETTINGS)) {
            Pruning.dropDetached(connection, name -> {}); // of an earlier process
            moving = FreeName.of(connection, "outbox_moving");
            next = FreeName.of(connection, "outbox_default_next");
            Sql.execute(connection, statement(withNames("operate/prepare_move")));
            return move();
        } catch (SQLException e) {
            if (PAST_THE_RANGE.contains(String.valueOf(e.getSQLState()))) {
                return Optional.of("ids have passed " + upper + " meanwhile");
            }
            throw e;
        }
    }

    private Optional<String> move() throws SQLException, InterruptedException {
        long copied = lower - 1;
        for (int pass = 1; pass <= PASSES; pass++) {
            long last = lastId();
            if (!writersHaveEnded()) {
                return Optional.of("transactions that write to the outbox are open for too long");
            }
            copy(copied, last);
            copied = Math.max(copied, last);
            if (lastId() - copied <= REST) {
                break;
            }
        }
        return swap(copied);
    }

    /**
     * Waits for all transactions that may still insert an id that is already drawn: each took its lock before it drew the id. Prepared
     * transactions cannot be identified, so it waits for all of them. Returns false if they have not ended after 30 s.
     */
    private boolean writersHaveEnded() throws SQLException, InterruptedException {
        Set<String> noted = writers();
        long end = clock.nanos() + LONGEST_WAIT_NANOS;
        while (clock.nanos() - end < 0) {
            Set<String> now = writers();
            if (now.stream().noneMatch(writer -> writer.startsWith("-1/") || noted.contains(writer))) {
                return true;
            }
            Thread.sleep(20);
        }
        return false;
    }

    private void copy(long after, long upTo) throws SQLException, InterruptedException {
        Sql batch = Sql.text(Sql.file("operate/copy_defaulted")
                        .with("moving", moving.name())
                        .first(connection, row -> row.getString(1))
                        .orElseThrow())
                .with("upTo", upTo)
                .with("limit", BATCH);
        OptionalLong from = OptionalLong.of(after);
        while (from.isPresent()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the relay is stopping");
            }
            from = batch.with("after", from.getAsLong())
                    .first(connection, DefaultMove::highest)
                    .orElseThrow();
        }
    }

    private static OptionalLong highest(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(id);
    }

    private Optional<String> swap(long copied) throws SQLException, InterruptedException {
        FreeName before = FreeName.of(connection, "outbox_default_before_" + upper);
        FreeName partition = FreeName.of(connection, Partitions.nameOf(lower));
        Optional<String> busy = new ShortLock(connection, ATTEMPTS)
                .run(
                        0,
                        () -> statement(withNames("operate/swap_default")
                                .with("before", before.name())
                                .with("partition", partition.name())
                                .with("copied", copied)));
        if (busy.isEmpty()) {
            FreeName.reportTaken(partition, moving, next, before);
            Pruning.dropDetached(connection, name -> {});
        }
        return busy;
    }

    private Set<String> writers() throws SQLException {
        return Set.copyOf(Sql.file("engine/writers").query(connection, row -> row.getString(1)));
    }

    private long lastId() throws SQLException {
        return Sql.file("engine/last_id")
                .first(connection, row -> row.getLong(1))
                .orElseThrow();
    }

    private Sql withNames(String file) {
        return Sql.file(file).with("moving", moving.name()).with("next", next.name());
    }

    /** The statement that a statement writes. */
    private String statement(Sql writer) throws SQLException {
        return writer.with("lower", lower)
                .with("upper", upper)
                .first(connection, row -> row.getString(1))
                .orElseThrow();
    }
}
