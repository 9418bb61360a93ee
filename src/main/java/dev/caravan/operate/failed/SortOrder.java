package dev.caravan.operate.failed;

import java.time.Instant;
import java.util.Comparator;

/**
 * The order of a list across subscriptions: by a time and then the id, or by the id alone. Messages that are equal in both are ordered
 * by the name of their subscription, so that the order is total and a page can start after any message.
 *
 * @param isByTime whether the list is sorted by a time first
 * @param isDescending whether the latest time or the highest id is first
 */
public record SortOrder(boolean isByTime, boolean isDescending) {
    /** The latest first. */
    public static final SortOrder NEWEST = new SortOrder(true, true);

    /** Compares the places of two messages. */
    Comparator<Cursor> comparator() {
        Comparator<Cursor> order = Comparator.comparing(Cursor::time).thenComparing(Cursor::id);
        return (isDescending ? order.reversed() : order).thenComparing(Cursor::subscription);
    }

    /** The place of a message. */
    Cursor cursor(Versioned message) {
        return new Cursor(isByTime ? message.version() : Instant.MIN, message.id(), message.subscription());
    }

    /** Whether a page of this order can start at this place. */
    public boolean hasPlace(Cursor cursor) {
        return isByTime != cursor.time().equals(Instant.MIN);
    }

    /** The place before all messages that a filter selects. */
    Search.Place start(MessageFilter filter) {
        return isByTime
                ? new Search.Place(isDescending ? filter.end() : filter.start(), Long.MIN_VALUE)
                : new Search.Place(Instant.MIN, isDescending ? Long.MAX_VALUE : Long.MIN_VALUE);
    }

    /**
     * Where the search of a subscription continues after a page, at the earliest at {@code start}. Among messages of the same time and id,
     * those of subscriptions with a later name come later.
     */
    Search.Place after(Search.Place start, String subscription, Cursor after) {
        boolean follows = subscription.compareTo(after.subscription()) > 0;
        long id = after.id() + (follows ? isDescending ? 1 : -1 : 0);
        return isByTime && isBefore(after.time(), start.time()) ? start : new Search.Place(after.time(), id);
    }

    private boolean isBefore(Instant time, Instant start) {
        return isDescending ? !time.isBefore(start) : time.isBefore(start);
    }
}
