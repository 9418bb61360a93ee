package dev.caravan.adopt.intake;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Does work for many items in one statement, although the database may refuse single ones because of their content. */
final class Halves {
    private Halves() {}

    /** Work for some of the items: all of it is done, or nothing. */
    @FunctionalInterface
    interface Work<T> {
        void on(List<T> items) throws SQLException;
    }

    /** What is done with an item that is refused. */
    @FunctionalInterface
    interface Refused<T> {
        void take(T item, SQLException refusal) throws SQLException;
    }

    /**
     * Does the work, in the order of the items. If it is refused, it is done for each half, until the items are found that are refused.
     *
     * @param refusals classes of SQLSTATEs with which the database refuses content; another failure is thrown
     */
    static <T> void work(List<T> items, Set<String> refusals, Work<T> work, Refused<T> refused) throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        try {
            work.on(items);
        } catch (SQLException e) {
            requireRefusal(refusals, e);
            if (items.size() == 1) {
                refused.take(items.get(0), e);
                return;
            }
            int half = items.size() / 2;
            work(items.subList(0, half), refusals, work, refused);
            work(items.subList(half, items.size()), refusals, work, refused);
        }
    }

    /** Throws a failure that is not a refusal. */
    static void requireRefusal(Set<String> refusals, SQLException failure) throws SQLException {
        String state = String.valueOf(failure.getSQLState());
        if (refusals.stream().noneMatch(state::startsWith)) {
            throw failure;
        }
    }
}
