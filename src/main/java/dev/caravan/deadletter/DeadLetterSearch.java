package dev.caravan.deadletter;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import javax.sql.DataSource;

/** Finds dead letters by what they have in common, page by page, so that no statement is long whatever the filter. */
public final class DeadLetterSearch {
    private static final int PAGE = 2_000;
    private static final Comparator<DeadLetterSummary> NEWEST_FIRST = Comparator.comparing(
                    DeadLetterSummary::lastFailedAt)
            .thenComparing(DeadLetterSummary::id)
            .reversed();

    /** Takes the matching letters of a walk; false ends it. */
    @FunctionalInterface
    private interface Visitor {
        boolean visit(List<DeadLetterSummary> matching);
    }

    /** Where the next page starts. */
    private record Place(Instant time, long id) {}

    /** A row of a page, with the letter if it matches. */
    private record Seen(Place place, Optional<DeadLetterSummary> matching) {}

    private final DataSource dataSource;

    public DeadLetterSearch(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** The newest that match, newest first. */
    public List<DeadLetterSummary> newest(DeadLetterFilter filter, int limit) throws SQLException {
        List<DeadLetterSummary> newest = new ArrayList<>();
        for (String subscription : subscriptions(filter)) {
            List<DeadLetterSummary> found = new ArrayList<>();
            walk(subscription, filter, matching -> {
                found.addAll(matching);
                return found.size() < limit;
            });
            newest.addAll(found);
            newest.sort(NEWEST_FIRST);
            newest.subList(Math.min(limit, newest.size()), newest.size()).clear();
        }
        return newest;
    }

    /**
     * Counts and remembers all that match now.
     *
     * @param going is told how many were found so far, and ends the search with false
     */
    public FrozenSet freeze(DeadLetterFilter filter, LongPredicate going) throws SQLException {
        FrozenSet set = new FrozenSet();
        long[] found = {0};
        for (String subscription : subscriptions(filter)) {
            walk(subscription, filter, matching -> {
                matching.forEach(letter -> set.add(subscription, letter.id(), letter.lastFailedAt()));
                found[0] += matching.size();
                return going.test(found[0]);
            });
        }
        return set;
    }

    private List<String> subscriptions(DeadLetterFilter filter) throws SQLException {
        if (filter.subscription().isPresent()) {
            return List.of(filter.subscription().get());
        }
        return Transaction.run(
                dataSource,
                connection -> Statement.query(connection, "dead_letter_subscriptions", row -> row.getString(1)));
    }

    private void walk(String subscription, DeadLetterFilter filter, Visitor visitor) throws SQLException {
        Place from = new Place(filter.until().orElse(Instant.MAX), Long.MIN_VALUE);
        List<Seen> page;
        do {
            Place next = from;
            page = Transaction.run(dataSource, connection -> page(connection, subscription, next, filter));
            if (page.isEmpty()
                    || !visitor.visit(page.stream()
                            .map(Seen::matching)
                            .flatMap(Optional::stream)
                            .toList())) {
                return;
            }
            from = page.get(page.size() - 1).place();
        } while (page.size() == PAGE);
    }

    private static List<Seen> page(Connection connection, String subscription, Place from, DeadLetterFilter filter)
            throws SQLException {
        return Statement.query(
                connection,
                "dead_letter_page",
                row -> new Seen(
                        new Place(
                                row.getObject("page_time", OffsetDateTime.class).toInstant(), row.getLong("page_id")),
                        row.getString("subscription") == null
                                ? Optional.empty()
                                : Optional.of(DeadLetterSummary.of(row))),
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                PAGE,
                filter.likeTypes(),
                filter.key().map(key -> key.type()).orElse(null),
                filter.key().map(key -> key.id()).orElse(null),
                filter.error().orElse(null));
    }
}
