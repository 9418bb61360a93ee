package dev.caravan.operate.failed;

import dev.caravan.database.Sql;
import dev.caravan.database.Transaction;
import dev.caravan.operate.list.Parts;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Finds messages by a filter. Reads in pages, so that each statement is short whatever the filter.
 *
 * @param <S> the summary of a message
 */
public abstract class Search<S extends Versioned> {
    static final int PAGE_ROWS = 2_000;
    /** Maximum number of rows read for one page of a list. */
    private static final int MAX_ROWS = 10_000;

    /** The position of a row in the order of the statement; the next page starts after it. */
    public record Place(Instant time, long id) {}

    /** A row that was read, with the message if it matches the filter. */
    public record Row<S>(Place place, Optional<S> matching) {
        /** Reads {@code page_time}, {@code page_id} and the columns of a message, which are null when it does not match. */
        public static <S> Row<S> of(ResultSet row, Sql.Row<S> message) throws SQLException {
            return new Row<>(
                    new Place(Sql.time(row, "page_time").orElse(Instant.MIN), row.getLong("page_id")),
                    row.getString("subscription") == null ? Optional.empty() : Optional.of(message.read(row)));
        }
    }

    private final DataSource dataSource;
    private final String subscriptions;

    /** @param subscriptions the statement that returns the names of all subscriptions with such messages */
    protected Search(DataSource dataSource, String subscriptions) {
        this.dataSource = dataSource;
        this.subscriptions = subscriptions;
    }

    /** The order of a list across subscriptions, by the version of the messages or by their id. */
    protected abstract SortOrder order(MessageFilter filter);

    /** @param rows maximum number of rows to read */
    protected abstract List<Row<S>> rows(
            Connection connection, String subscription, Place from, MessageFilter filter, int rows) throws SQLException;

    /** The first messages that match, in order. */
    public List<S> first(MessageFilter filter, int limit) throws SQLException {
        Comparator<S> order = comparator(filter);
        List<S> first = new ArrayList<>();
        for (String subscription : subscriptionsOf(filter)) {
            List<S> found = new ArrayList<>();
            Parts<S> parts = parts(subscription, filter);
            Optional<List<S>> part = parts.next();
            while (part.isPresent()) {
                found.addAll(part.get());
                part = found.size() < limit ? parts.next() : Optional.empty();
            }
            first.addAll(found);
            first.sort(order);
            first.subList(Math.min(limit, first.size()), first.size()).clear();
        }
        return first;
    }

    private Comparator<S> comparator(MessageFilter filter) {
        return Comparator.comparing(
                message -> cursor(message, filter), order(filter).comparator());
    }

    private Cursor cursor(S message, MessageFilter filter) {
        return order(filter).cursor(message);
    }

    /**
     * One page of matching messages, in order. Reads a bounded number of rows, so that it is fast whatever the filter.
     *
     * @param after the end of the previous page; empty for the first page
     */
    public Page<S> page(MessageFilter filter, Optional<Cursor> after, int limit) throws SQLException {
        SortOrder order = order(filter);
        Place first = order.start(filter);
        List<String> subscriptions = subscriptionsOf(filter);
        List<S> found = new ArrayList<>();
        Optional<Cursor> end = Optional.empty();
        for (String subscription : subscriptions) {
            Place start = after.map(cursor -> order.after(first, subscription, cursor))
                    .orElse(first);
            Optional<Cursor> stopped =
                    collect(subscription, filter, start, limit, MAX_ROWS / subscriptions.size(), found);
            end = Stream.concat(end.stream(), stopped.stream()).min(order.comparator());
        }
        return cut(found, end, limit, filter);
    }

    /** Moves messages after {@code end}, the first position at which the search of a subscription stopped, to the next page. */
    private Page<S> cut(List<S> found, Optional<Cursor> end, int limit, MessageFilter filter) {
        Comparator<Cursor> order = order(filter).comparator();
        List<S> items = found.stream()
                .filter(message -> end.isEmpty() || order.compare(cursor(message, filter), end.get()) <= 0)
                .sorted(comparator(filter))
                .toList();
        if (items.size() <= limit) {
            return new Page<>(items, end);
        }
        return new Page<>(items.subList(0, limit), Optional.of(cursor(items.get(limit - 1), filter)));
    }

    /** @return where the search stopped; empty at the end of the subscription */
    private Optional<Cursor> collect(
            String subscription, MessageFilter filter, Place start, int limit, int maxRows, List<S> found)
            throws SQLException {
        int read = 0;
        int wanted = found.size() + limit;
        int rows = Math.min(limit + 1, PAGE_ROWS);
        Place from = start;
        while (true) {
            Place next = from;
            int requested = rows;
            List<Row<S>> page =
                    Transaction.run(dataSource, connection -> rows(connection, subscription, next, filter, requested));
            found.addAll(matching(page));
            if (page.size() < requested) {
                return Optional.empty();
            }
            from = page.get(page.size() - 1).place();
            read += requested;
            if (found.size() > wanted || read >= maxRows) {
                return Optional.of(new Cursor(from.time(), from.id(), subscription));
            }
            rows = Math.min(2 * rows, PAGE_ROWS);
        }
    }

    /**
     * Selects all messages that match now.
     *
     * @param progress receives the number of messages found so far; returning false ends the search
     */
    public Selection select(MessageFilter filter, LongPredicate progress) throws SQLException {
        Selection set = new Selection();
        long found = 0;
        Parts<S> parts = parts(filter);
        Optional<List<S>> part = parts.next();
        while (part.isPresent()) {
            part.get().forEach(set::add);
            found += part.get().size();
            part = progress.test(found) ? parts.next() : Optional.empty();
        }
        return set;
    }

    /** All messages that match, in order of their subscription, and of each subscription in the order of the list. */
    public Parts<S> parts(MessageFilter filter) {
        return new Parts<>() {
            private Iterator<String> subscriptions;
            private Parts<S> current = Optional::empty;

            @Override
            public Optional<List<S>> next() throws SQLException {
                if (subscriptions == null) {
                    subscriptions = subscriptionsOf(filter).iterator();
                }
                Optional<List<S>> part = current.next();
                while (part.isEmpty() && subscriptions.hasNext()) {
                    current = parts(subscriptions.next(), filter);
                    part = current.next();
                }
                return part;
            }
        };
    }

    private List<String> subscriptionsOf(MessageFilter filter) throws SQLException {
        Optional<String> only = filter.subscription();
        return only.isPresent()
                ? List.of(only.get())
                : Transaction.run(
                        dataSource, connection -> Sql.file(subscriptions).query(connection, row -> row.getString(1)));
    }

    private Parts<S> parts(String subscription, MessageFilter filter) {
        Parts<Row<S>> rows = Parts.of(PAGE_ROWS, last -> {
            Place from = last.map(Row::place).orElseGet(() -> order(filter).start(filter));
            return Transaction.run(dataSource, connection -> rows(connection, subscription, from, filter, PAGE_ROWS));
        });
        return rows.map(Search::matching);
    }

    private static <S> List<S> matching(List<Row<S>> page) {
        return page.stream().map(Row::matching).flatMap(Optional::stream).toList();
    }
}
