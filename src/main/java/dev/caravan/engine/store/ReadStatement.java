package dev.caravan.engine.store;

import dev.caravan.engine.progress.Read;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.stream.Collectors;

/** The statement {@code read.sql} of one lane: its text and its parameters. */
public record ReadStatement(LaneId lane, long maxMessageBytes, String text, String textThatLeavesOut) {
    private static final String ENDED = "(select string_agg(id::text, ',') from unnest(?::xid8[]) as open (id)"
            + " where pg_visible_in_snapshot(id, pg_current_snapshot()))";

    /** @param maxMessageBytes the contents of larger messages are not read */
    public ReadStatement(LaneId lane, long maxMessageBytes) {
        this(lane, maxMessageBytes, text(lane, "null::text"), text(lane, ENDED));
    }

    private static String text(LaneId lane, String ended) {
        return Sql.READ
                .text()
                .replace("/*ended*/", ended)
                .replace(
                        "/*of the lane*/",
                        lane.isOnly() ? "" : "and outbox_lane(aggregate_type, aggregate_id, ?::integer) = ?")
                .replace("/*up to the barrier*/", lane.isOnly() ? "" : "and id <= ?");
    }

    /** The text of a read. */
    public String text(Read next) {
        return next.openTransactions().isEmpty() ? text : textThatLeavesOut;
    }

    /** Number of parameters of a read that leaves out no missing ids. */
    public int parameters() {
        return lane.isOnly() ? 12 : 17;
    }

    /**
     * Sets the parameters of a read.
     *
     * @param patterns {@code like} patterns of the message types
     * @param next the read; its {@code to} is ignored for a single lane, which is never below the barrier of a change of lanes
     */
    public void bind(PreparedStatement read, String[] patterns, Read next) throws SQLException {
        Array types = read.getConnection().createArrayOf("text", patterns);
        int at = bindOpenTransactions(read, next);
        read.setLong(at++, maxMessageBytes);
        read.setLong(at++, maxMessageBytes);
        at = bindLane(read, bindTypes(read, at, types));
        read.setString(at++, next.missing());
        read.setLong(at++, next.lowestMissing());
        read.setLong(at++, next.endOfMissing());
        read.setInt(at++, next.limit());
        at = bindLane(read, bindTypes(read, at, types));
        read.setLong(at++, next.position());
        if (!lane.isOnly()) {
            read.setLong(at++, next.to());
        }
        read.setInt(at++, next.limit());
        read.setInt(at++, next.limit());
        read.setLong(at, next.bytes());
    }

    private static int bindOpenTransactions(PreparedStatement read, Read next) throws SQLException {
        if (next.openTransactions().isEmpty()) {
            return 1;
        }
        read.setString(
                1, next.openTransactions().stream().map(Object::toString).collect(Collectors.joining(",", "{", "}")));
        return 2;
    }

    private static int bindTypes(PreparedStatement read, int at, Array types) throws SQLException {
        read.setArray(at, types);
        return at + 1;
    }

    private int bindLane(PreparedStatement read, int at) throws SQLException {
        if (lane.isOnly()) {
            return at;
        }
        read.setInt(at, lane.lanes());
        read.setInt(at + 1, lane.number());
        return at + 2;
    }
}
