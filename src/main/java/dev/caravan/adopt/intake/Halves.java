package dev.caravan.adopt.intake;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.apache.camel.util.function.ThrowingBiConsumer;
import org.apache.camel.util.function.ThrowingConsumer;

/** Does work for many items in one statement, although the database may refuse single ones because of their content. */
final class Halves {
    private Halves() {}

    /**
     * Does the work, in the order of the items. If it is refused, it is done for each half, until the items are found that are refused.
     *
     * @param refusals classes of SQLSTATEs with which the database refuses content; another failure is thrown
     * @param work does all of the work for some of the items, or nothing
     * @param refused what is done with an item that is refused
     */
    static <T> void work(
            List<T> items,
            Set<String> refusals,
            ThrowingConsumer<List<T>, SQLException> work,
            ThrowingBiConsumer<T, SQLException, SQLException> refused)
            throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        try {
            work.accept(items);
        } catch (SQLException e) {
            requireRefusal(refusals, e);
            if (items.size() == 1) {
                refused.accept(items.get(0), e);
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
