package dev.caravan.deadletter;

import dev.caravan.delivery.Key;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds messages that wait: those with a time to be tried at by that time, those of one key and blocked ones by id. */
public final class WaitingSearch extends Search<WaitingFilter, WaitingSummary> {
    private static final Comparator<WaitingSummary> BY_TIME =
            Comparator.comparing(WaitingSummary::version).thenComparing(WaitingSummary::id);
    private static final Comparator<WaitingSummary> BY_ID =
            Comparator.comparing(WaitingSummary::subscription).thenComparing(WaitingSummary::id);

    public WaitingSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    Optional<String> subscription(WaitingFilter filter) {
        return filter.subscription();
    }

    @Override
    String subscriptions() {
        return "waiting_subscriptions";
    }

    @Override
    Comparator<WaitingSummary> order(WaitingFilter filter) {
        return isById(filter) ? BY_ID : BY_TIME;
    }

    /** Each way has the index that serves it. */
    private static boolean isById(WaitingFilter filter) {
        return filter.blocked() || filter.key().isPresent();
    }

    @Override
    Place start(WaitingFilter filter) {
        return new Place(Instant.MIN, Long.MIN_VALUE);
    }

    @Override
    List<Seen<WaitingSummary>> page(Connection connection, String subscription, Place from, WaitingFilter filter)
            throws SQLException {
        return isById(filter)
                ? byId(connection, subscription, from.id(), filter)
                : byTime(connection, subscription, from, filter);
    }

    private static List<Seen<WaitingSummary>> byTime(
            Connection connection, String subscription, Place from, WaitingFilter filter) throws SQLException {
        return Statement.query(
                connection,
                "waiting_page_by_time",
                row -> Seen.of(row, WaitingSummary::of),
                subscription,
                from.time(),
                from.time(),
                from.id(),
                PAGE,
                PAGE,
                filter.likeTypes(),
                filter.error().orElse(null),
                filter.failingSince().orElse(null));
    }

    private static List<Seen<WaitingSummary>> byId(
            Connection connection, String subscription, long after, WaitingFilter filter) throws SQLException {
        String keyType = filter.key().map(Key::type).orElse(null);
        String keyId = filter.key().map(Key::id).orElse(null);
        return Statement.query(
                connection,
                "waiting_page_by_id",
                row -> Seen.of(row, WaitingSummary::of),
                subscription,
                after,
                keyType,
                keyType,
                keyId,
                keyType,
                keyId,
                subscription,
                PAGE,
                filter.blocked(),
                filter.likeTypes(),
                filter.error().orElse(null),
                filter.failingSince().orElse(null));
    }
}
