package dev.caravan.operate.failed;

import dev.caravan.database.Sql;
import dev.caravan.database.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Finds dead letters, in any order that an index provides. */
public final class DeadLetterSearch extends Search<DeadLetterSummary> {
    static final String OF_KEY = SqlFile.file("operate/dead_letters_of_key");
    static final String OF_GROUP = SqlFile.file("operate/dead_letters_of_group");

    private static final Map<SortOrder, String> PAGES = Map.of(
            SortOrder.NEWEST,
            SqlFile.file("operate/dead_letter_page_newest"),
            new SortOrder(true, false),
            SqlFile.file("operate/dead_letter_page_oldest"),
            new SortOrder(false, false),
            SqlFile.file("operate/dead_letter_page_lowest_id"),
            new SortOrder(false, true),
            SqlFile.file("operate/dead_letter_page_highest_id"));

    private final SortOrder order;

    /** Finds the latest failures first. */
    public DeadLetterSearch(DataSource dataSource) {
        this(dataSource, SortOrder.NEWEST);
    }

    /** @param order by the time of the last failure, or by id */
    public DeadLetterSearch(DataSource dataSource, SortOrder order) {
        super(dataSource, "operate/dead_letter_subscriptions");
        this.order = order;
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return order;
    }

    @Override
    protected List<Row<DeadLetterSummary>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        String first = filter.key().isPresent() ? OF_KEY : filter.group().isPresent() ? OF_GROUP : "";
        Sql page = Sql.text(first + PAGES.get(order))
                .with("subscription", subscription)
                .with("id", from.id())
                .with("rows", rows)
                .withKnown(filter.parameters());
        if (order.isByTime()) {
            page.with("time", from.time()).with("bound", order.isDescending() ? filter.start() : filter.end());
        }
        return page.query(connection, row -> Row.of(row, Sql.records(DeadLetterSummary.class)));
    }
}
