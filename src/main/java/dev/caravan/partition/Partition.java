package dev.caravan.partition;

import dev.caravan.database.SqlFile;
import dev.caravan.subscription.SubscriptionStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * One partition of the outbox.
 *
 * @param name name of its table
 * @param ids its range of ids; for outbox_default the range of the ids in it, empty when it has no rows
 * @param rows estimate from statistics; empty before the first analyze
 * @param bytes size with indexes; empty when sizes were not requested
 * @param oldest creation time of the message with the lowest id; empty when it has no rows
 * @param newest creation time of the message with the highest id
 * @param holders the subscriptions that still need it
 */
public record Partition(
        long oid,
        String name,
        Optional<Ids> ids,
        OptionalLong rows,
        OptionalLong bytes,
        Optional<Instant> oldest,
        Optional<Instant> newest,
        State state,
        List<Holder> holders) {

    /** A range of ids, lower inclusive, upper exclusive. */
    public record Ids(long lower, long upper) {}

    /** Whether pruning may drop it. */
    public enum State {
        /** Ids are drawn from its range now. */
        CURRENT,
        /** No id of its range has been drawn yet. */
        AHEAD,
        /** outbox_default without rows, which is the normal state. */
        EMPTY,
        /** Its newest message is not older than the retention. */
        RETAINED,
        /** Older than the retention, but a subscription needs it, or no subscription has read it. */
        HELD_BACK,
        /** Older than the retention and delivered everywhere. */
        PRUNABLE
    }

    /** All partitions in order of id, outbox_default last. Reads at most the first and the last row of each. */
    public static List<Partition> all(DataSource dataSource, Retention retention) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return all(connection, retention, true);
        }
    }

    /** All partitions, without their sizes: for frequent calls. */
    public static List<Partition> states(DataSource dataSource, Retention retention) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return states(connection, retention);
        }
    }

    static List<Partition> states(Connection connection, Retention retention) throws SQLException {
        return all(connection, retention, false);
    }

    private static List<Partition> all(Connection connection, Retention retention, boolean sizes) throws SQLException {
        connection.setAutoCommit(false);
        try (var plans = connection.createStatement();
                var statement = connection.prepareStatement(SqlFile.file("partition/partitions"))) {
            plans.execute(SubscriptionStatus.PLANS);
            statement.setObject(
                    1, retention.age().map(age -> (double) age.toSeconds()).orElse(null), java.sql.Types.DOUBLE);
            statement.setBoolean(2, sizes);
            List<Partition> all = new ArrayList<>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    all.add(of(rows));
                }
            }
            return all;
        } finally {
            if (!connection.isClosed()) {
                connection.rollback(); // releases the read locks, which would conflict with a detach
                connection.setAutoCommit(true);
            }
        }
    }

    private static Partition of(ResultSet row) throws SQLException {
        List<Holder> holders = holders(row);
        return new Partition(
                row.getLong("oid"),
                row.getString("name"),
                row.getObject("lower") == null
                        ? Optional.empty()
                        : Optional.of(new Ids(row.getLong("lower"), row.getLong("upper"))),
                number(row, "rows_estimate"),
                number(row, "bytes"),
                time(row, "oldest"),
                time(row, "newest"),
                state(row, holders),
                holders);
    }

    private static State state(ResultSet row, List<Holder> holders) throws SQLException {
        if (row.getObject("lower") == null) {
            return State.EMPTY;
        }
        if (row.getBoolean("ahead")) {
            return State.AHEAD;
        }
        if (row.getBoolean("in_use")) {
            return State.CURRENT;
        }
        if (!row.getBoolean("passed")) {
            return State.RETAINED;
        }
        // Without a subscription nothing is pruned, because one that is added later may start at the beginning.
        return holders.isEmpty() && row.getBoolean("has_subscription") ? State.PRUNABLE : State.HELD_BACK;
    }

    private static List<Holder> holders(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray("names").getArray();
        String[] reasons = (String[]) row.getArray("reasons").getArray();
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            holders.add(new Holder(names[i], Holder.Reason.of(reasons[i])));
        }
        return holders;
    }

    private static OptionalLong number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
    }

    private static Optional<Instant> time(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }
}
