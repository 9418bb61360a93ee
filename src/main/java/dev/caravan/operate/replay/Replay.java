package dev.caravan.operate.replay;

import com.fasterxml.jackson.databind.JsonNode;
import dev.caravan.base.message.Key;
import dev.caravan.database.Column;
import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.subscription.Refusal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/**
 * Delivers the messages of the outbox again up to the position that a subscription has at the start, as they are there: without the edits of
 * a person, and including those that it has never delivered because they are older than it. Does not change its progress. A job copies them
 * page by page in order of id.
 */
public final class Replay {
    /** Maximum number of messages that one statement examines. */
    private static final int MAX_EXAMINED = 5_000;

    /** Maximum number of further statements of one step, until a message is found. */
    private static final int MAX_PAGES = 10;

    private record Range(long position, String[] types, long delivered) {}

    /** What a replay would copy of some messages. @param last the last id examined; empty at the end */
    public record Counted(
            long messages, long edited, @Column("last_id") OptionalLong last) {}

    /** What was copied of some messages. @param last the last id examined; empty at the end */
    public record Page(
            long messages,
            long forgotten,
            @Column("last_id") OptionalLong last) {}

    private final String subscription;
    private final ReplayFilter filter;
    private final boolean forget;
    private final Range range;
    private long counted;
    private long edited;

    private Replay(String subscription, ReplayFilter filter, boolean forget, Range range) {
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
        return Transaction.run(dataSource, connection -> of(connection, subscription, filter, forget));
    }

    /** A replay that was started with {@link #details}. */
    public static Replay of(Connection connection, String subscription, JsonNode details) throws SQLException {
        return of(
                connection,
                subscription,
                ReplayFilter.of(details),
                details.path("forget").booleanValue());
    }

    private static Replay of(Connection connection, String subscription, ReplayFilter filter, boolean forget)
            throws SQLException {
        List<Range> lanes = Sql.file("operate/replay_range")
                .with("subscription", subscription)
                .query(connection, Replay::range);
        if (lanes.isEmpty()) {
            throw new Refusal("There is no subscription " + subscription + ". Nothing was changed.");
        }
        Range range = whole(lanes);
        if (range.types == null && filter.types().isEmpty()) {
            throw new Refusal("Could not replay " + subscription + ": no relay has stored yet which types its route"
                    + " selects, so messages of other types could be replayed. Nothing was changed. Give the types with"
                    + " --type, or start a relay with its route first.");
        }
        return new Replay(subscription, filter, forget, range);
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

    /** What it does, for its job and the audit: the filter, and the highest id, which is not higher than the position now. */
    public Map<String, Object> details() {
        Map<String, Object> details = filter.fields();
        details.put("upToId", end());
        details.put("forget", forget);
        return details;
    }

    /** The number of messages that it would copy now. If {@code mayContinue} returns false, ends early with the number so far. */
    public long count(DataSource dataSource, BooleanSupplier mayContinue) throws SQLException {
        counted = 0;
        edited = 0;
        OptionalLong after = OptionalLong.of(start());
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

    /** The id after which it begins. */
    public long start() {
        return Math.max(filter.fromId().orElse(0L), 0) - 1;
    }

    private long end() {
        return Math.min(range.position, filter.toId().orElse(Long.MAX_VALUE));
    }

    /** Counts the messages after an id, up to a bound. */
    public Counted countPage(Connection connection, long after) throws SQLException {
        return page("operate/count_replay", after, MAX_EXAMINED, MAX_EXAMINED)
                .first(connection, Counted.class)
                .orElseThrow();
    }

    /**
     * Copies messages after an id. The transaction has locked the lanes. Continues until it finds messages, up to a bound.
     *
     * @param wanted maximum number of messages
     */
    public Page copy(Connection connection, long after, int wanted) throws SQLException {
        // With a low rate, only few messages of a page are copied, unless few match.
        Page page = copyPage(connection, after, Math.min(MAX_EXAMINED, 10 * wanted), wanted);
        for (int more = 0; page.messages == 0 && page.last.isPresent() && more < MAX_PAGES; more++) {
            page = copyPage(connection, page.last.getAsLong(), MAX_EXAMINED, wanted);
        }
        return page;
    }

    private Page copyPage(Connection connection, long after, int examined, int wanted) throws SQLException {
        return page("operate/replay", after, examined, wanted)
                .with("forget", forget)
                .first(connection, Page.class)
                .orElseThrow();
    }

    private Sql page(String file, long after, int examined, int wanted) {
        return Sql.file(file)
                .with("after", after)
                .with("upTo", end())
                .with("examined", examined)
                .with("subscription", subscription)
                .with("selected", range.types == null ? new String[] {"%"} : range.types)
                .with("types", filter.likeTypes())
                .with("keyType", filter.key().map(Key::type).orElse(null))
                .with("keyId", filter.key().map(Key::id).orElse(null))
                .with("since", filter.since().orElse(Instant.MIN))
                .with("until", filter.until().orElse(Instant.MAX))
                .with("wanted", wanted);
    }
}
