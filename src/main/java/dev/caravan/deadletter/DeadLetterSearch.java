package dev.caravan.deadletter;

import dev.caravan.database.SqlFile;
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

/** Finds dead letters, the latest failures first. */
public final class DeadLetterSearch extends Search<DeadLetterFilter, DeadLetterSummary> {
    private static final Comparator<Cursor> NEWEST_FIRST = Comparator.comparing(Cursor::time)
            .thenComparing(Cursor::id)
            .reversed()
            .thenComparing(Cursor::subscription);

    static final String PAGE_OF_KEY =
            SqlFile.file("deadletter/dead_letters_of_key") + SqlFile.file("deadletter/dead_letter_page");

    static final String PAGE_OF_GROUP =
            SqlFile.file("deadletter/dead_letters_of_group") + SqlFile.file("deadletter/dead_letter_page");

    public DeadLetterSearch(DataSource dataSource) {
        super(dataSource);
    }

    @Override
    protected Optional<String> subscription(DeadLetterFilter filter) {
        return filter.subscription();
    }

    @Override
    protected String subscriptions() {
        return "deadletter/dead_letter_subscriptions";
    }

    @Override
    protected Comparator<Cursor> order(DeadLetterFilter filter) {
        return NEWEST_FIRST;
    }

    @Override
    protected Cursor cursor(DeadLetterSummary letter, DeadLetterFilter filter) {
        return new Cursor(letter.lastFailedAt(), letter.id(), letter.subscription());
    }

    @Override
    protected Place start(DeadLetterFilter filter) {
        return new Place(filter.until().orElse(Instant.MAX), Long.MIN_VALUE);
    }

    /** Among dead letters of the same time and id, those of subscriptions with a later name follow the cursor. */
    @Override
    protected Optional<Place> start(DeadLetterFilter filter, String subscription, Cursor after) {
        Place start = start(filter);
        boolean later = subscription.compareTo(after.subscription()) > 0;
        Place place = new Place(after.time(), later ? after.id() + 1 : after.id());
        return Optional.of(start.time().isAfter(place.time()) ? place : start);
    }

    @Override
    protected List<Row<DeadLetterSummary>> rows(
            Connection connection, String subscription, Place from, DeadLetterFilter filter, int rows)
            throws SQLException {
        if (filter.key().isPresent()) {
            return pageOfKey(connection, subscription, from, filter, rows);
        }
        return filter.group().isPresent()
                ? pageOfGroup(connection, subscription, from, filter, rows)
                : pageByTime(connection, subscription, from, filter, rows);
    }

    private static List<Row<DeadLetterSummary>> pageByTime(
            Connection connection, String subscription, Place from, DeadLetterFilter filter, int rows)
            throws SQLException {
        return Statement.query(
                connection,
                "deadletter/dead_letter_page",
                row -> Row.of(row, DeadLetterSummary::of),
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                rows,
                filter.likeTypes(),
                filter.error().orElse(null),
                group(filter));
    }

    private static List<Row<DeadLetterSummary>> pageOfGroup(
            Connection connection, String subscription, Place from, DeadLetterFilter filter, int rows)
            throws SQLException {
        return Statement.queryText(
                connection,
                PAGE_OF_GROUP,
                row -> Row.of(row, DeadLetterSummary::of),
                group(filter),
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                rows,
                filter.likeTypes(),
                filter.error().orElse(null),
                group(filter));
    }

    private static Long group(DeadLetterFilter filter) {
        return filter.group().map(ErrorGroup::hash).orElse(null);
    }

    private static List<Row<DeadLetterSummary>> pageOfKey(
            Connection connection, String subscription, Place from, DeadLetterFilter filter, int rows)
            throws SQLException {
        Key key = filter.key().orElseThrow();
        return Statement.queryText(
                connection,
                PAGE_OF_KEY,
                row -> Row.of(row, DeadLetterSummary::of),
                subscription,
                key.type(),
                key.id(),
                key.type(),
                key.id(),
                key.type(),
                key.id(),
                subscription,
                subscription,
                from.time(),
                from.id(),
                filter.since().orElse(Instant.MIN),
                rows,
                filter.likeTypes(),
                filter.error().orElse(null),
                group(filter));
    }
}
