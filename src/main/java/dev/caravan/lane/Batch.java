package dev.caravan.lane;

import dev.caravan.delivery.Message;
import java.util.List;

/**
 * What one read returned.
 *
 * @param rows in ascending order of id
 * @param complete whether every visible message that was asked for is among the rows; otherwise only those up to the last row
 */
public record Batch(List<Row> rows, boolean complete) {
    /**
     * A row of the outbox.
     *
     * @param id its id
     * @param message the message, or null if the subscription does not select its type
     */
    public record Row(long id, Message message) {}

    /** The id up to which the read would have shown every visible message. */
    long coveredTo() {
        return complete ? Long.MAX_VALUE : rows.get(rows.size() - 1).id();
    }
}
