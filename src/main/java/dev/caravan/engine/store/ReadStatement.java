package dev.caravan.engine.store;

import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import dev.caravan.engine.progress.Read;
import java.util.stream.Collectors;

/** The statement {@code read.sql} of one lane, or of the tail that lanes follow. It is parsed once, and holds the values of the last read. Not thread-safe. */
public final class ReadStatement {
    private static final String ENDED = "(select string_agg(id::text, ',') from unnest(:open::xid8[]) as open (id)"
            + " where pg_visible_in_snapshot(id, pg_current_snapshot()))";

    /** Null if the messages of all lanes are read. */
    private final LaneId lane;

    private final Sql all;
    private final Sql leavingOut;

    /**
     * @param patterns {@code like} patterns of the message types
     * @param maxMessageBytes the contents of larger messages are not read
     */
    public ReadStatement(LaneId lane, String[] patterns, long maxMessageBytes) {
        this(lane.isOnly() ? null : lane, patterns, maxMessageBytes, false);
    }

    /**
     * A read of the messages of all lanes.
     *
     * @param hashes whether the hash of each key is returned too
     */
    public static ReadStatement ofTail(String[] patterns, long maxMessageBytes, boolean hashes) {
        return new ReadStatement(null, patterns, maxMessageBytes, hashes);
    }

    private ReadStatement(LaneId lane, String[] patterns, long maxMessageBytes, boolean hashes) {
        this.lane = lane;
        all = sql("null::text", patterns, maxMessageBytes, hashes);
        leavingOut = sql(ENDED, patterns, maxMessageBytes, hashes);
    }

    private Sql sql(String ended, String[] patterns, long maxMessageBytes, boolean hashes) {
        String text = SqlFile.file("engine/read").replace("/*ended*/", ended);
        if (hashes) {
            text = text.replace("/*hash*/", ", outbox_key_hash(aggregate_type, aggregate_id) as key_hash")
                    .replace("/*no hash*/", ", null");
        }
        Sql sql = lane == null
                ? Sql.text(text)
                : Sql.text(text.replace(
                                        "/*of the lane*/",
                                        "and outbox_lane(aggregate_type, aggregate_id, :lanes::integer) = :lane")
                                .replace("/*up to the barrier*/", "and id <= :to"))
                        .with("lanes", lane.lanes())
                        .with("lane", lane.number());
        return sql.with("types", patterns).with("max_message_bytes", maxMessageBytes);
    }

    /** The statement of a read that leaves out no missing ids, without the values of a read. */
    public Sql all() {
        return all;
    }

    /**
     * The statement with the values of a read.
     *
     * @param next its {@code to} is ignored for a single lane, which is never below the barrier of a change of lanes
     */
    public Sql of(Read next) {
        Sql sql = next.openTransactions().isEmpty()
                ? all
                : leavingOut.with(
                        "open",
                        next.openTransactions().stream()
                                .map(Object::toString)
                                .collect(Collectors.joining(",", "{", "}")));
        if (lane != null) {
            sql.with("to", next.to());
        }
        return sql.with("missing", next.missing())
                .with("lowest_missing", next.lowestMissing())
                .with("end_of_missing", next.endOfMissing())
                .with("position", next.position())
                .with("limit", next.limit())
                .with("bytes", next.bytes());
    }
}
