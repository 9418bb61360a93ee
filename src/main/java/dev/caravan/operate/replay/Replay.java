package dev.caravan.operate.replay;

import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.audit.Audit;
import dev.caravan.operate.failed.ChangePace;
import dev.caravan.operate.subscription.LaneChange;
import dev.caravan.operate.subscription.Refusal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/**
 * Delivers the messages of the outbox again up to the position that a subscription has at the start, as they are there: without the edits of
 * a person, and including those that it has never delivered because they are older than it. Does not change its progress. Copies
 * page by page in order of id: copied pages remain if the replay ends early, and the audit contains the last id.
 */
public final class Replay {
    /** Maximum number of messages that one statement examines. */
    private static final int MAX_EXAMINED = 5_000;

    private record Range(long position, String[] types, long delivered) {}

    private record Counted(long messages, long edited, OptionalLong last) {}

    private record Page(long messages, long forgotten, OptionalLong last) {}

    private final DataSource dataSource;
    private final String subscription;
    private final ReplayFilter filter;
    private final boolean forget;
    private final Range range;
    private long counted;
    private long edited;
    private long messages;
    private long forgotten;
    /** The last id of the copied pages; -1 before the first page. */
    private long reached = -1;

    private Replay(DataSource dataSource, String subscription, ReplayFilter filter, boolean forget, Range range) {
        this.dataSource = dataSource;
        this.subscription = subscription;
        this.filter = filter;
        this.forget = forget;
        this.range = range;
    }

    /**
     * A replay of the messages that are delivered now.
     *
     * @param forget whether the idempotent consumers of the route must accept the messages again
     * @throws Refusal if the subscription does not exist, or if its message types are unknown
     */
    public static Replay of(DataSource dataSource, String subscription, ReplayFilter filter, boolean forget)
            throws SQLException {
        List<Range> lanes = Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "operate/replay_range", Replay::range, subscription));
        if (lanes.isEmpty()) {
            throw new Refusal("There is no subscription " + subscription + ". Nothing was changed.");
        }
        Range range = whole(lanes);
        if (range.types == null && filter.types().isEmpty()) {
            throw new Refusal("Could not replay " + subscription + ": no relay has stored yet which types its route"
                    + " selects, so messages of other types could be replayed. Nothing was changed. Give the types with"
                    + " --type, or start a relay with its route first.");
        }
        return new Replay(dataSource, subscription, filter, forget, range);
    }

    /** The range of all lanes, up to the highest position. From lanes with a lower position, only messages delivered by then are copied. */
    private static Range whole(List<Range> lanes) {
        long position = lanes.stream().mapToLong(Range::position).max().orElseThrow();
        String[] types = lanes.stream()
                .map(Range::types)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        return new Range(
                position, types, lanes.stream().mapToLong(Range::delivered).sum());
    }

    private static Range range(ResultSet row) throws SQLException {
        var types = row.getArray("types");
        return new Range(
                row.getLong("position"), types == null ? null : (String[]) types.getArray(), row.getLong("delivered"));
    }

    /** The number of messages that it would copy now. If {@code mayContinue} returns false, ends early with the number so far. */
    public long count(BooleanSupplier mayContinue) throws SQLException {
        counted = 0;
        edited = 0;
        OptionalLong after = start();
        while (after.isPresent() && mayContinue.getAsBoolean()) {
            long from = after.getAsLong();
            Counted page = Transaction.run(dataSource, connection -> countPage(connection, from));
            counted += page.messages;
            edited += page.edited;
            after = page.last;
        }
        return counted;
    }

    /** How many of the counted messages a person has edited: their original content is sent. */
    public long edited() {
        return edited;
    }

    /**
     * How many of the counted messages the subscription has never delivered, at least: more were counted than it has delivered,
     * including repeats.
     */
    public long neverDelivered() {
        return Math.max(0, counted - range.delivered);
    }

    /**
     * Runs the replay.
     *
     * @param mayContinue called before each page; false ends the replay
     * @param progress called after each page with the number of copied messages
     * @return whether all pages were copied
     */
    public boolean run(ChangePace pace, Actor actor, BooleanSupplier mayContinue, LongConsumer progress)
            throws SQLException, InterruptedException {
        long entry = Transaction.run(
                dataSource, connection -> Audit.write(connection, "replay", subscription, detail(false), actor));
        int chunk = pace.chunk();
        int examined = MAX_EXAMINED;
        OptionalLong after = start();
        while (after.isPresent()) {
            if (!pace.await(mayContinue)) {
                return false;
            }
            long before = messages;
            after = copy(entry, after.getAsLong(), examined, chunk);
            long copied = messages - before;
            // With a low rate, only few messages of a page are copied, unless few match.
            examined = copied < chunk ? MAX_EXAMINED : Math.min(MAX_EXAMINED, 10 * chunk);
            pace.record(copied);
            progress.accept(messages);
        }
        Transaction.run(dataSource, connection -> {
            requireReached(connection, entry);
            Audit.add(connection, entry, detail(true));
            return null;
        });
        return true;
    }

    private OptionalLong copy(long entry, long after, int examined, int chunk) throws SQLException {
        Page page = Transaction.run(dataSource, connection -> {
            if (!LaneChange.lockLanes(connection, subscription)) {
                throw new Refusal(
                        "Could not continue the replay of " + subscription + ": the subscription was deleted.");
            }
            requireReached(connection, entry);
            Page copied = copyPage(connection, after, examined, chunk);
            Map<String, Object> reached = new LinkedHashMap<>();
            reached.put("messages", messages + copied.messages);
            copied.last.ifPresent(last -> reached.put("reachedId", last));
            Audit.add(connection, entry, reached);
            return copied;
        });
        messages += page.messages;
        forgotten += page.forgotten;
        page.last.ifPresent(last -> reached = last);
        return page.last;
    }

    /** A promoted replica may lack pages that were copied: the replay would leave their messages out and report them as copied. */
    private void requireReached(Connection connection, long entry) throws SQLException {
        Optional<Long> recorded =
                Statement.query(connection, "operate/reached_id", row -> row.getLong(1), entry, subscription).stream()
                        .findFirst();
        if (recorded.isEmpty() || recorded.get() != reached) {
            throw new Refusal(
                    "Could not continue the replay of " + subscription + ": the database lacks its last steps, so a"
                            + " replica was promoted or a backup restored. "
                            + (recorded.orElse(-1L) < 0
                                    ? "None of its messages are copied: replay again."
                                    : "To continue, replay from id " + (recorded.get() + 1) + ". See entry " + entry
                                            + " of the audit."));
        }
    }

    private OptionalLong start() {
        return OptionalLong.of(Math.max(filter.fromId().orElse(0L), 0) - 1);
    }

    private long end() {
        return Math.min(range.position, filter.toId().orElse(Long.MAX_VALUE));
    }

    private Counted countPage(Connection connection, long after) throws SQLException {
        List<Object> parameters = parameters(after, MAX_EXAMINED, MAX_EXAMINED);
        parameters.add(MAX_EXAMINED);
        return Statement.query(
                        connection,
                        "operate/count_replay",
                        row -> new Counted(row.getLong("messages"), row.getLong("edited"), last(row)),
                        parameters.toArray())
                .get(0);
    }

    private Page copyPage(Connection connection, long after, int examined, int chunk) throws SQLException {
        List<Object> parameters = parameters(after, examined, chunk);
        parameters.addAll(Arrays.asList(subscription, forget, chunk));
        return Statement.query(
                        connection,
                        "operate/replay",
                        row -> new Page(row.getLong("messages"), row.getLong("forgotten"), last(row)),
                        parameters.toArray())
                .get(0);
    }

    private List<Object> parameters(long after, int examined, int chunk) {
        String keyType = filter.key().map(key -> key.type()).orElse(null);
        return new ArrayList<>(Arrays.asList(
                after,
                end(),
                examined,
                subscription,
                range.types == null ? new String[] {"%"} : range.types,
                filter.likeTypes(),
                keyType,
                keyType,
                filter.key().map(key -> key.id()).orElse(null),
                filter.since().orElse(Instant.MIN),
                filter.until().orElse(Instant.MAX),
                chunk));
    }

    private static OptionalLong last(ResultSet row) throws SQLException {
        long last = row.getLong("last_id");
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(last);
    }

    private Map<String, Object> detail(boolean finished) {
        Map<String, Object> detail = new LinkedHashMap<>(filter.fields());
        detail.put("upToId", end());
        detail.put("forget", forget);
        detail.put("messages", messages);
        detail.put("finished", finished);
        return detail;
    }

    /** Number of messages that are copied and committed. */
    public long messages() {
        return messages;
    }

    /** Number of message ids that were removed from the idempotent repository. */
    public long forgotten() {
        return forgotten;
    }
}
