package dev.caravan.operate.failed;

import dev.caravan.base.message.Key;
import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
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
        super(dataSource);
        this.order = order;
    }

    @Override
    protected String subscriptions() {
        return "operate/dead_letter_subscriptions";
    }

    @Override
    protected SortOrder order(MessageFilter filter) {
        return order;
    }

    @Override
    protected Instant time(DeadLetterSummary letter) {
        return letter.lastFailedAt();
    }

    @Override
    protected Place start(MessageFilter filter) {
        return order.start(since(filter), until(filter));
    }

    @Override
    protected List<Row<DeadLetterSummary>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows)
            throws SQLException {
        if (filter.key().isPresent()) {
            Key key = filter.key().get();
            List<Object> ofKey = List.of(
                    subscription, key.type(), key.id(), key.type(), key.id(), key.type(), key.id(), subscription);
            return page(connection, OF_KEY, ofKey, subscription, from, filter, rows);
        }
        return filter.group().isPresent()
                ? page(connection, OF_GROUP, List.of(group(filter)), subscription, from, filter, rows)
                : page(connection, "", List.of(), subscription, from, filter, rows);
    }

    /** @param first the part of the statement before the page; {@code ofFirst} are its parameters */
    private List<Row<DeadLetterSummary>> page(
            Connection connection,
            String first,
            List<Object> ofFirst,
            String subscription,
            Place from,
            MessageFilter filter,
            int rows)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(ofFirst);
        parameters.add(subscription);
        if (order.isByTime()) {
            parameters.add(from.time());
            parameters.add(from.id());
            parameters.add(order.isDescending() ? since(filter) : until(filter));
        } else {
            parameters.add(from.id());
        }
        parameters.add(rows);
        parameters.add(filter.likeTypes());
        parameters.add(filter.error().orElse(null));
        parameters.add(group(filter));
        parameters.add(since(filter));
        parameters.add(until(filter));
        return Statement.queryText(
                connection, first + PAGES.get(order), row -> Row.of(row, DeadLetterSummary::of), parameters.toArray());
    }

    private static Instant since(MessageFilter filter) {
        return filter.since().orElse(Instant.MIN);
    }

    private static Instant until(MessageFilter filter) {
        return filter.until().orElse(Instant.MAX);
    }

    private static Long group(MessageFilter filter) {
        return filter.group().map(ErrorGroup::hash).orElse(null);
    }
}
