package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;

/** Finds waiting messages, in order of their next attempt; messages of one key and blocked messages in order of id. */
public final class WaitingSearch extends Search<WaitingSummary> {
    private final boolean isDescending;

    /** Sorts the next attempts, or the lowest ids, first. */
    public WaitingSearch(DataSource dataSource) {
        this(dataSource, false);
    }

    /** @param isDescending whether the latest attempts, or the highest ids, are first */
    public WaitingSearch(DataSource dataSource, boolean isDescending) {
        super(dataSource);
        this.isDescending = isDescending;
    }

    @Override
    protected String subscriptions() {
        return "operate/waiting_subscriptions";
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return new SortOrder(!isById(filter), isDescending);
    }

    @Override
    protected Instant time(WaitingSummary message) {
        return message.nextAttemptAt().orElse(Instant.MIN); // a blocked message is sorted by id
    }

    /** Each order is served by an index. */
    private static boolean isById(MessageFilter filter) {
        return filter.blocked() || filter.key().isPresent();
    }

    @Override
    protected Place start(MessageFilter filter) {
        return order(filter).start(Instant.MIN, Instant.MAX);
    }

    @Override
    protected List<Row<WaitingSummary>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        return isById(filter)
                ? byId(connection, subscription, from.id(), filter, rows)
                : byTime(connection, subscription, from, filter, rows);
    }

    private List<Row<WaitingSummary>> byTime(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        return Statement.query(
                connection,
                isDescending ? "operate/waiting_page_latest" : "operate/waiting_page_soonest",
                row -> Row.of(row, WaitingSummary::of),
                subscription,
                from.time(),
                from.time(),
                from.id(),
                rows,
                rows,
                false,
                filter.likeTypes(),
                filter.error().orElse(null),
                filter.failingSince().orElse(null));
    }

    private List<Row<WaitingSummary>> byId(
            Connection connection, String subscription, long from, MessageFilter filter, int rows) throws SQLException {
        String keyType = filter.key().map(Key::type).orElse(null);
        String keyId = filter.key().map(Key::id).orElse(null);
        return Statement.query(
                connection,
                isDescending ? "operate/waiting_page_highest_id" : "operate/waiting_page_lowest_id",
                row -> Row.of(row, WaitingSummary::of),
                subscription,
                from,
                keyType,
                keyType,
                keyId,
                keyType,
                keyId,
                keyType,
                keyId,
                subscription,
                rows,
                filter.blocked(),
                filter.likeTypes(),
                filter.error().orElse(null),
                filter.failingSince().orElse(null));
    }
}
