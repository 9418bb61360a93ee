package dev.caravan.deadletter;

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

/** Finds discarded dead letters, those that were discarded last first. */
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
        return "deadletter/discarded_subscriptions";
    }

    @Override
    protected Comparator<Cursor> order(DiscardedFilter filter) {
        return DeadLetterSearch.NEWEST_FIRST;
    }

    @Override
    protected Cursor cursor(Discarded message, DiscardedFilter filter) {
        return new Cursor(message.at(), message.id(), message.subscription());
    }

    @Override
    protected Place start(DiscardedFilter filter) {
        return DeadLetterSearch.before(filter.letters().until());
    }

    @Override
    protected Optional<Place> start(DiscardedFilter filter, String subscription, Cursor after) {
        return Optional.of(DeadLetterSearch.after(start(filter), subscription, after));
    }

    @Override
    protected List<Row<Discarded>> rows(
            Connection connection, String subscription, Place from, DiscardedFilter filter, int rows)
            throws SQLException {
        DeadLetterFilter letters = filter.letters();
        return Statement.query(
                connection,
                "deadletter/discarded_page",
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
