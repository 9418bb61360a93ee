package dev.caravan.operate.failed;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Finds discarded dead letters, the latest discard first. */
public final class DiscardedSearch extends Search<Discarded> {
    public DiscardedSearch(DataSource dataSource) {
        super(dataSource, "operate/discarded_subscriptions");
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return SortOrder.NEWEST;
    }

    @Override
    protected List<Row<Discarded>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        return Sql.file("operate/discarded_page")
                .with("subscription", subscription)
                .with("time", from.time())
                .with("id", from.id())
                .with("rows", rows)
                .withKnown(filter.parameters())
                .query(connection, row -> Row.of(row, Sql.records(Discarded.class)));
    }
}
