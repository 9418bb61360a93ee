package dev.caravan.selection;

import dev.caravan.database.Statement;
import dev.caravan.database.Transaction;
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
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Finds messages by what they have in common, page by page, so that no statement is long whatever the filter.
 *
 * @param <F> which messages
 * @param <S> what is shown of one
 */
public abstract class Search<F, S extends Versioned> {
    static final int PAGE = 2_000;

    /** Rows that are looked at for one part of a list at most. */
    private static final int LOOKED_AT = 10_000;

    /** Takes the matching messages of a walk; false ends it. */
    @FunctionalInterface
    private interface Visitor<S> {
        boolean visit(List<S> matching);
    }

    /** Where the next page starts. */
    public record Place(Instant time, long id) {}

    /** A row of a page, with the message if it matches. */
    public record Seen<S>(Place place, Optional<S> matching) {
        /** The columns {@code page_time}, {@code page_id}, and those of a message, which are null when it does not match. */
        public static <S> Seen<S> of(ResultSet row, Statement.Row<S> message) throws SQLException {
            OffsetDateTime time = row.getObject("page_time", OffsetDateTime.class);
            return new Seen<>(
                    new Place(time == null ? Instant.MIN : time.toInstant(), row.getLong("page_id")),
                    row.getString("subscription") == null ? Optional.empty() : Optional.of(message.read(row)));
        }
    }

    private final DataSource dataSource;

    public Search(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Of which subscription only, if of one. */
    protected abstract Optional<String> subscription(F filter);

    /** The statement that names all subscriptions with such messages. */
    protected abstract String subscriptions();

    /** The order of a list over all subscriptions. */
    protected abstract Comparator<Cursor> order(F filter);

    /** The place of a message in that order. */
    protected abstract Cursor cursor(S message, F filter);

    protected abstract Place start(F filter);

    /** Where the walk through a subscription goes on after a place in the list; empty when it is done with. */
    protected abstract Optional<Place> start(F filter, String subscription, Cursor after);

    /** @param rows how many to look at */
    protected abstract List<Seen<S>> page(Connection connection, String subscription, Place from, F filter, int rows)
            throws SQLException;

    /** The first that match, in order. */
    public List<S> first(F filter, int limit) throws SQLException {
        Comparator<S> order = Comparator.comparing(message -> cursor(message, filter), order(filter));
        List<S> first = new ArrayList<>();
        for (String subscription : subscriptionsOf(filter)) {
            List<S> found = new ArrayList<>();
            walk(subscription, filter, matching -> {
                found.addAll(matching);
                return found.size() < limit;
            });
            first.addAll(found);
            first.sort(order);
            first.subList(Math.min(limit, first.size()), first.size()).clear();
        }
        return first;
    }

    /**
     * The next that match, in order. Looks at a bounded number of messages, so that it is quick whatever the filter.
     *
     * @param after the end of the part before
     */
    public Page<S> part(F filter, Optional<Cursor> after, int limit) throws SQLException {
        Comparator<Cursor> order = order(filter);
        List<String> subscriptions = subscriptionsOf(filter);
        List<S> found = new ArrayList<>();
        Optional<Cursor> end = Optional.empty();
        for (String subscription : subscriptions) {
            Optional<Place> start =
                    after.isEmpty() ? Optional.of(start(filter)) : start(filter, subscription, after.get());
            if (start.isPresent()) {
                Optional<Cursor> stopped =
                        collect(subscription, filter, start.get(), limit, LOOKED_AT / subscriptions.size(), found);
                end = Stream.concat(end.stream(), stopped.stream()).min(order);
            }
        }
        return cut(found, end, limit, filter);
    }

    /** What lies behind the place where the walk through some subscription stopped is left to the next part. */
    private Page<S> cut(List<S> found, Optional<Cursor> end, int limit, F filter) {
        Comparator<Cursor> order = order(filter);
        List<S> items = found.stream()
                .filter(message -> end.isEmpty() || order.compare(cursor(message, filter), end.get()) <= 0)
                .sorted(Comparator.comparing(message -> cursor(message, filter), order))
                .toList();
        if (items.size() <= limit) {
            return new Page<>(items, end);
        }
        return new Page<>(items.subList(0, limit), Optional.of(cursor(items.get(limit - 1), filter)));
    }

    /** @return where it stopped; empty at the end of the subscription */
    private Optional<Cursor> collect(String subscription, F filter, Place start, int limit, int most, List<S> found)
            throws SQLException {
        int lookedAt = 0;
        int wanted = found.size() + limit;
        int rows = Math.min(limit + 1, PAGE);
        Place from = start;
        while (true) {
            Place next = from;
            int asked = rows;
            List<Seen<S>> page =
                    Transaction.run(dataSource, connection -> page(connection, subscription, next, filter, asked));
            found.addAll(matching(page));
            if (page.size() < asked) {
                return Optional.empty();
            }
            from = page.get(page.size() - 1).place();
            lookedAt += asked;
            if (found.size() > wanted || lookedAt >= most) {
                return Optional.of(new Cursor(from.time(), from.id(), subscription));
            }
            rows = Math.min(2 * rows, PAGE);
        }
    }

    /**
     * Counts and remembers all that match now.
     *
     * @param going is told how many were found so far, and ends the search with false
     */
    public Selection freeze(F filter, LongPredicate going) throws SQLException {
        Selection set = new Selection();
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
            page = Transaction.run(dataSource, connection -> page(connection, subscription, next, filter, PAGE));
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
