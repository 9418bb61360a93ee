package dev.caravan.operate.failed;

import dev.caravan.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
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
        super(dataSource, "operate/waiting_subscriptions");
        this.isDescending = isDescending;
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return new SortOrder(!isById(filter), isDescending);
    }

    /** Each order is served by an index. */
    private static boolean isById(MessageFilter filter) {
        return filter.blocked() || filter.key().isPresent();
    }

    @Override
    protected List<Row<WaitingSummary>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        Sql page = Sql.file(page(filter))
                .with("subscription", subscription)
                .with("id", from.id())
                .with("rows", rows)
                .withKnown(filter.parameters());
        if (!isById(filter)) {
            page.with("time", from.time());
        }
        return page.query(connection, row -> Row.of(row, WaitingSummary::of));
    }

    private String page(MessageFilter filter) {
        if (isById(filter)) {
            return isDescending ? "operate/waiting_page_highest_id" : "operate/waiting_page_lowest_id";
        }
        return isDescending ? "operate/waiting_page_latest" : "operate/waiting_page_soonest";
    }
}
