package dev.caravan.partition;

import dev.caravan.clock.Clock;
import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Gives the messages in outbox_default a partition of their own, after a time without a relay in which ids ran past the last
 * partition. They are copied beside the outbox in small batches, up to an id that no open transaction can add to any more;
 * then one statement of a moment copies the rest and swaps the tables. Readers see each message once at any time, and inserts
 * go on meanwhile. A process that dies leaves outbox_default as it was.
 */
final class DefaultMove {
    /** Raised by swap_default, and a copy that the check of outbox_moving refuses. */
    private static final Set<String> PAST_THE_RANGE = Set.of("CV002", "23514");
    /** outbox_default has no statistics that can be trusted; each batch is served by its primary key. */
    private static final String PLANS =
            "set plan_cache_mode = force_custom_plan; set enable_seqscan = off; set enable_bitmapscan = off";

    private static final String RESET_PLANS = "reset plan_cache_mode; reset enable_seqscan; reset enable_bitmapscan";

    private static final int BATCH = 5_000;
    /** So few ids can be copied while inserts wait. */
    private static final int REST = 1_000;

    private static final int PASSES = 10;
    private static final int ATTEMPTS = 10;
    private static final long LONGEST_WAIT_NANOS = 30_000_000_000L;

    private final Connection connection;
    private final long lower;
    private final long upper;
    private final Clock clock;

    /**
     * @param connection in autocommit, with the lock of lock_changes
     * @param lower where the last partition ends
     * @param upper where the new one ends: well beyond the last id drawn
     */
    DefaultMove(Connection connection, long lower, long upper, Clock clock) {
        this.connection = connection;
        this.lower = lower;
        this.upper = upper;
        this.clock = clock;
    }

    /** @return why it could not be done now; empty when it is done */
    Optional<String> run() throws SQLException, InterruptedException {
        execute(PLANS);
        try {
            execute(text("partition/prepare_move", lower, upper));
            return move();
        } catch (SQLException e) {
            if (PAST_THE_RANGE.contains(String.valueOf(e.getSQLState()))) {
                return Optional.of("ids have run past " + upper + " meanwhile");
            }
            throw e;
        } finally {
            if (!connection.isClosed()) {
                execute(RESET_PLANS);
            }
        }
    }

    private Optional<String> move() throws SQLException, InterruptedException {
        long copied = lower - 1;
        for (int pass = 1; pass <= PASSES; pass++) {
            long last = number("store/last_id");
            if (!writersHaveEnded()) {
                return Optional.of("transactions that write to the outbox stay open for long");
            }
            copy(copied, last);
            copied = Math.max(copied, last);
            if (number("store/last_id") - copied <= REST) {
                break;
            }
        }
        return swap(copied);
    }

    /**
     * Waits for all that may still fill an id that is drawn already: each holds its lock since before it drew it. A prepared
     * transaction does not tell who it was, so that it is waited for in any case.
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

    private void copy(long after, long upTo) throws SQLException {
        try (var copy = connection.prepareStatement(text("partition/copy_defaulted"))) {
            copy.setLong(2, upTo);
            copy.setInt(3, BATCH);
            long from = after;
            boolean more = true;
            while (more) {
                copy.setLong(1, from);
                try (var row = copy.executeQuery()) {
                    row.next();
                    from = row.getLong(1);
                    more = !row.wasNull();
                }
            }
        }
    }

    private Optional<String> swap(long copied) throws SQLException, InterruptedException {
        Optional<String> busy =
                new ShortLock(connection, ATTEMPTS).run(0, () -> text("partition/swap_default", lower, upper, copied));
        if (busy.isEmpty()) {
            Pruning.dropDetached(connection, name -> {});
        }
        return busy;
    }

    private Set<String> writers() throws SQLException {
        Set<String> writers = new HashSet<>();
        try (var statement = connection.prepareStatement(SqlFile.file("store/writers"));
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                writers.add(rows.getString(1));
            }
        }
        return writers;
    }

    private long number(String file) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file(file));
                var row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private String text(String file, long... parameters) throws SQLException {
        try (var statement = connection.prepareStatement(SqlFile.file(file))) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setLong(i + 1, parameters[i]);
            }
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
