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
 * @param name of its table
 * @param ids the ids it takes; for outbox_default those it holds, empty when it holds none
 * @param rows estimated from statistics; empty before the first analyze
 * @param bytes with indexes; empty when only the states were asked for
 * @param oldest when the message with its lowest id was written; empty when it holds none
 * @param newest when the message with its highest id was written
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

    /** Ids from lower (inclusive) to upper (exclusive). */
    public record Ids(long lower, long upper) {}

    /** Whether pruning may drop it. */
    public enum State {
        /** Its ids are drawn now. */
        CURRENT,
        /** Its ids have not been reached yet. */
        AHEAD,
        /** Its newest message is not older than the retention. */
        RETAINED,
        /** Old enough, but some subscription needs it, or there is none that has read it. */
        HELD_BACK,
        /** Older than the retention and delivered everywhere. */
        PRUNABLE
    }

    /** All partitions in order of id, outbox_default last. Cheap on any size. */
    public static List<Partition> all(DataSource dataSource, Retention retention) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            return all(connection, retention, true);
        }
    }

    /** The same without their sizes, for what looks often. */
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
            connection.rollback(); // lets go of the locks of reading, which a detach would meet
            connection.setAutoCommit(true);
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
        if (row.getBoolean("ahead") || row.getObject("lower") == null) {
            return State.AHEAD;
        }
        if (row.getBoolean("in_use")) {
            return State.CURRENT;
        }
        if (!row.getBoolean("passed")) {
            return State.RETAINED;
        }
        // Without any subscription nothing was delivered anywhere: one that is added later may start at the beginning.
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
