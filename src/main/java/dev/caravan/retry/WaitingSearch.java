package dev.caravan.retry;

import dev.caravan.database.Statement;
import dev.caravan.delivery.Key;
import dev.caravan.selection.Cursor;
import dev.caravan.selection.Search;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds waiting messages, in order of their next attempt; messages of one key and blocked messages in order of id. */
public final class WaitingSearch extends Search<WaitingFilter, WaitingSummary> {
    private static final Comparator<Cursor> BY_TIME =
            Comparator.comparing(Cursor::time).thenComparing(Cursor::id).thenComparing(Cursor::subscription);
    private static final Comparator<Cursor> BY_ID =
            Comparator.comparing(Cursor::subscription).thenComparing(Cursor::id);

    public WaitingSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected Optional<String> subscription(WaitingFilter filter) {
        return filter.subscription();
    }

    @Override
    protected String subscriptions() {
        return "retry/waiting_subscriptions";
    }

    @Override
    protected Comparator<Cursor> order(WaitingFilter filter) {
        return isById(filter) ? BY_ID : BY_TIME;
    }

    @Override
    protected Cursor cursor(WaitingSummary message, WaitingFilter filter) {
        Instant time = isById(filter) ? Instant.MIN : message.version();
        return new Cursor(time, message.id(), message.subscription());
    }

    /** Each order has an index that serves it. */
    private static boolean isById(WaitingFilter filter) {
        return filter.blocked() || filter.key().isPresent();
    }

    @Override
    protected Place start(WaitingFilter filter) {
        return new Place(Instant.MIN, Long.MIN_VALUE);
    }

    @Override
    protected Optional<Place> start(WaitingFilter filter, String subscription, Cursor after) {
        int order = subscription.compareTo(after.subscription());
        if (isById(filter)) {
            return order < 0 ? Optional.empty() : Optional.of(order == 0 ? place(after, 0) : start(filter));
        }
        return Optional.of(
                place(after, order > 0 ? 1 : 0)); // among messages of the same time and id, those of later names follow
    }

    private static Place place(Cursor after, int back) {
        return new Place(after.time(), after.id() - back);
    }

    @Override
    protected List<Row<WaitingSummary>> rows(
            Connection connection, String subscription, Place from, WaitingFilter filter, int rows)
            throws SQLException {
        return isById(filter)
                ? byId(connection, subscription, from.id(), filter, rows)
                : byTime(connection, subscription, from, filter, rows);
    }

    private static List<Row<WaitingSummary>> byTime(
            Connection connection, String subscription, Place from, WaitingFilter filter, int rows)
            throws SQLException {
        return Statement.query(
                connection,
                "retry/waiting_page_by_time",
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

    private static List<Row<WaitingSummary>> byId(
            Connection connection, String subscription, long after, WaitingFilter filter, int rows)
            throws SQLException {
        String keyType = filter.key().map(Key::type).orElse(null);
        String keyId = filter.key().map(Key::id).orElse(null);
        return Statement.query(
                connection,
                "retry/waiting_page_by_id",
                row -> Row.of(row, WaitingSummary::of),
                subscription,
                after,
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
