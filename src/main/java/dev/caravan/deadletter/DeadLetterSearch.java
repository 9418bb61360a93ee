package dev.caravan.deadletter;

import dev.caravan.database.SqlFile;
import dev.caravan.database.Statement;
import dev.caravan.delivery.Key;
import dev.caravan.selection.Cursor;
import dev.caravan.selection.Search;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Finds dead letters, the latest failures first. */
public final class DeadLetterSearch extends Search<DeadLetterFilter, DeadLetterSummary> {
    static final Comparator<Cursor> NEWEST_FIRST = Comparator.comparing(Cursor::time)
            .thenComparing(Cursor::id)
            .reversed()
            .thenComparing(Cursor::subscription);

    private static final String PAGE = SqlFile.file("deadletter/dead_letter_page");

    static final String PAGE_OF_KEY = SqlFile.file("deadletter/dead_letters_of_key") + PAGE;

    static final String PAGE_OF_GROUP = SqlFile.file("deadletter/dead_letters_of_group") + PAGE;

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
        return before(filter.until());
    }

    @Override
    protected Optional<Place> start(DeadLetterFilter filter, String subscription, Cursor after) {
        return Optional.of(after(start(filter), subscription, after));
    }

    /** The newest place before a time. */
    static Place before(Optional<Instant> until) {
        return new Place(until.orElse(Instant.MAX), Long.MIN_VALUE);
    }

    /** Among messages of the same time and id, those of subscriptions with a later name follow the cursor. */
    static Place after(Place start, String subscription, Cursor after) {
        boolean later = subscription.compareTo(after.subscription()) > 0;
        Place place = new Place(after.time(), later ? after.id() + 1 : after.id());
        return start.time().isAfter(place.time()) ? place : start;
    }

    @Override
    protected List<Row<DeadLetterSummary>> rows(
            Connection connection, String subscription, Place from, DeadLetterFilter filter, int rows)
            throws SQLException {
        if (filter.key().isPresent()) {
            Key key = filter.key().get();
            List<Object> ofKey = List.of(
                    subscription, key.type(), key.id(), key.type(), key.id(), key.type(), key.id(), subscription);
            return page(connection, PAGE_OF_KEY, ofKey, subscription, from, filter, rows);
        }
        return filter.group().isPresent()
                ? page(connection, PAGE_OF_GROUP, List.of(group(filter)), subscription, from, filter, rows)
                : page(connection, PAGE, List.of(), subscription, from, filter, rows);
    }

    /** @param first the parameters before {@link #PAGE} in a statement */
    private static List<Row<DeadLetterSummary>> page(
            Connection connection,
            String sql,
            List<Object> first,
            String subscription,
            Place from,
            DeadLetterFilter filter,
            int rows)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(first);
        parameters.add(subscription);
        parameters.add(from.time());
        parameters.add(from.id());
        parameters.add(filter.since().orElse(Instant.MIN));
        parameters.add(rows);
        parameters.add(filter.likeTypes());
        parameters.add(filter.error().orElse(null));
        parameters.add(group(filter));
        return Statement.queryText(connection, sql, row -> Row.of(row, DeadLetterSummary::of), parameters.toArray());
    }

    private static Long group(DeadLetterFilter filter) {
        return filter.group().map(ErrorGroup::hash).orElse(null);
    }
}
