package dev.caravan.deadletter;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds dead letters, those that failed last first. */
public final class DeadLetterSearch extends Search<DeadLetterFilter, DeadLetterSummary> {
    private static final Comparator<DeadLetterSummary> NEWEST_FIRST = Comparator.comparing(
                    DeadLetterSummary::lastFailedAt)
            .thenComparing(DeadLetterSummary::id)
            .reversed();

    public DeadLetterSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    Optional<String> subscription(DeadLetterFilter filter) {
        return filter.subscription();
    }

    @Override
    String subscriptions() {
        return "dead_letter_subscriptions";
    }

    @Override
    Comparator<DeadLetterSummary> order(DeadLetterFilter filter) {
        return NEWEST_FIRST;
    }

    @Override
    Place start(DeadLetterFilter filter) {
        return new Place(filter.until().orElse(Instant.MAX), Long.MIN_VALUE);
    }

    @Override
    List<Seen<DeadLetterSummary>> page(Connection connection, String subscription, Place from, DeadLetterFilter filter)
            throws SQLException {
        return Statement.query(
                connection,
                "dead_letter_page",
                row -> Seen.of(row, DeadLetterSummary::of),
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                PAGE,
                filter.likeTypes(),
                filter.key().map(key -> key.type()).orElse(null),
                filter.key().map(key -> key.id()).orElse(null),
                filter.error().orElse(null));
    }
}
