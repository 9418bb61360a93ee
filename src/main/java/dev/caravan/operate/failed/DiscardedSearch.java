package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds discarded dead letters, the latest discard first. */
public final class DiscardedSearch extends Search<DiscardedFilter, Discarded> {
    public DiscardedSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected Optional<String> subscription(DiscardedFilter filter) {
        return filter.letters().subscription();
    }

    @Override
    protected String subscriptions() {
        return "operate/discarded_subscriptions";
    }

    @Override
    protected SortOrder order(DiscardedFilter filter) {
        return SortOrder.NEWEST;
    }

    @Override
    protected Instant time(Discarded message) {
        return message.at();
    }

    @Override
    protected Place start(DiscardedFilter filter) {
        return SortOrder.NEWEST.start(Instant.MIN, filter.letters().until().orElse(Instant.MAX));
    }

    @Override
    protected List<Row<Discarded>> rows(
            Connection connection, String subscription, Place from, DiscardedFilter filter, int rows)
            throws SQLException {
        DeadLetterFilter letters = filter.letters();
        return Statement.query(
                connection,
                "operate/discarded_page",
                row -> Row.of(row, Discarded::of),
                subscription,
                from.time(),
                from.id(),
                letters.since().orElse(Instant.MIN),
                rows,
                letters.likeTypes(),
                letters.key().map(Key::type).orElse(null),
                letters.key().map(Key::id).orElse(null),
                letters.error().orElse(null),
                letters.group().map(ErrorGroup::hash).orElse(null),
                filter.discard().orElse(null));
    }
}
