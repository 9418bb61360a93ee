package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;

/** Finds discarded dead letters, the latest discard first. */
public final class DiscardedSearch extends Search<Discarded> {
    public DiscardedSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected String subscriptions() {
        return "operate/discarded_subscriptions";
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return SortOrder.NEWEST;
    }

    @Override
    protected Instant time(Discarded message) {
        return message.at();
    }

    @Override
    protected Place start(MessageFilter filter) {
        return SortOrder.NEWEST.start(Instant.MIN, filter.until().orElse(Instant.MAX));
    }

    @Override
    protected List<Row<Discarded>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        return Statement.query(
                connection,
                "operate/discarded_page",
                row -> Row.of(row, Discarded::of),
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                rows,
                filter.likeTypes(),
                filter.key().map(Key::type).orElse(null),
                filter.key().map(Key::id).orElse(null),
                filter.error().orElse(null),
                filter.group().map(ErrorGroup::hash).orElse(null),
                filter.discard().orElse(null));
    }
}
