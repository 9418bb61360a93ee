package dev.caravan.operate.list;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.apache.camel.util.function.ThrowingFunction;

/**
 * Reads a list of any length part by part. Each part is read in a short transaction of its own, so that a reader that is slow holds back
 * neither vacuum nor a connection. A row that changes meanwhile is read once at most: as it is when its part is read.
 *
 * @param <T> a row
 */
@FunctionalInterface
public interface Parts<T> {
    /** The next rows, which may be none; empty at the end of the list. */
    Optional<List<T>> next() throws SQLException;

    /**
     * A list that is read with a statement for each part.
     *
     * @param rows number of rows of a part; a shorter one is the last
     * @param reading reads rows after the last one that was read, which is empty at the start of the list
     */
    static <T> Parts<T> of(int rows, ThrowingFunction<Optional<T>, List<T>, SQLException> reading) {
        return new Parts<>() {
            private Optional<T> last = Optional.empty();
            private boolean ended;

            @Override
            public Optional<List<T>> next() throws SQLException {
                if (ended) {
                    return Optional.empty();
                }
                List<T> part = reading.apply(last);
                ended = part.size() < rows;
                last = part.isEmpty() ? last : Optional.of(part.get(part.size() - 1));
                return Optional.of(part);
            }
        };
    }

    /** The same list with other rows, which are made from those of a part. */
    default <R> Parts<R> map(ThrowingFunction<List<T>, List<R>, SQLException> mapping) {
        return () -> {
            Optional<List<T>> part = next();
            return part.isPresent() ? Optional.of(mapping.apply(part.get())) : Optional.empty();
        };
    }

    /** The same list, one row at a time, for a {@link #map} to large rows. */
    default Parts<T> oneByOne() {
        Queue<T> rest = new ArrayDeque<>();
        return () -> {
            while (rest.isEmpty()) {
                Optional<List<T>> part = next();
                if (part.isEmpty()) {
                    return part;
                }
                rest.addAll(part.get());
            }
            return Optional.of(List.of(rest.remove()));
        };
    }
}
