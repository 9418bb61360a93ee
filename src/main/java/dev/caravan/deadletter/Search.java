package dev.caravan.deadletter;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import javax.sql.DataSource;

/**
 * Finds messages by what they have in common, page by page, so that no statement is long whatever the filter.
 *
 * @param <F> which messages
 * @param <S> what is shown of one
 */
abstract class Search<F, S extends Versioned> {
    static final int PAGE = 2_000;

    /** Takes the matching messages of a walk; false ends it. */
    @FunctionalInterface
    private interface Visitor<S> {
        boolean visit(List<S> matching);
    }

    /** Where the next page starts. */
    record Place(Instant time, long id) {}

    /** A row of a page, with the message if it matches. */
    record Seen<S>(Place place, Optional<S> matching) {
        /** The columns {@code page_time}, {@code page_id}, and those of a message, which are null when it does not match. */
        static <S> Seen<S> of(ResultSet row, Statement.Row<S> message) throws SQLException {
            OffsetDateTime time = row.getObject("page_time", OffsetDateTime.class);
            return new Seen<>(
                    new Place(time == null ? Instant.MIN : time.toInstant(), row.getLong("page_id")),
                    row.getString("subscription") == null ? Optional.empty() : Optional.of(message.read(row)));
        }
    }

    private final DataSource dataSource;

    Search(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Of which subscription only, if of one. */
    abstract Optional<String> subscription(F filter);

    /** The statement that names all subscriptions with such messages. */
    abstract String subscriptions();

    /** The order of the pages. */
    abstract Comparator<S> order(F filter);

    abstract Place start(F filter);

    abstract List<Seen<S>> page(Connection connection, String subscription, Place from, F filter) throws SQLException;

    /** The first that match, in order. */
    public List<S> first(F filter, int limit) throws SQLException {
        List<S> first = new ArrayList<>();
        for (String subscription : subscriptionsOf(filter)) {
            List<S> found = new ArrayList<>();
            walk(subscription, filter, matching -> {
                found.addAll(matching);
                return found.size() < limit;
            });
            first.addAll(found);
            first.sort(order(filter));
            first.subList(Math.min(limit, first.size()), first.size()).clear();
        }
        return first;
    }

    /**
     * Counts and remembers all that match now.
     *
     * @param going is told how many were found so far, and ends the search with false
     */
    public FrozenSet freeze(F filter, LongPredicate going) throws SQLException {
        FrozenSet set = new FrozenSet();
        long[] found = {0};
        for (String subscription : subscriptionsOf(filter)) {
            walk(subscription, filter, matching -> {
                matching.forEach(set::add);
                found[0] += matching.size();
                return going.test(found[0]);
            });
        }
        return set;
    }

    private List<String> subscriptionsOf(F filter) throws SQLException {
        Optional<String> only = subscription(filter);
        return only.isPresent()
                ? List.of(only.get())
                : Transaction.run(
                        dataSource,
                        connection -> Statement.query(connection, subscriptions(), row -> row.getString(1)));
    }

    private void walk(String subscription, F filter, Visitor<S> visitor) throws SQLException {
        Place from = start(filter);
        List<Seen<S>> page;
        do {
            Place next = from;
            page = Transaction.run(dataSource, connection -> page(connection, subscription, next, filter));
            if (page.isEmpty() || !visitor.visit(matching(page))) {
                return;
            }
            from = page.get(page.size() - 1).place();
        } while (page.size() == PAGE);
    }

    private static <S> List<S> matching(List<Seen<S>> page) {
        return page.stream().map(Seen::matching).flatMap(Optional::stream).toList();
    }
}
