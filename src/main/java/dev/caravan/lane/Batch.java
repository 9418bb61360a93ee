package dev.caravan.lane;

import dev.caravan.delivery.Message;
import dev.caravan.progress.Read;
import java.util.List;
import java.util.Set;

/**
 * What one read returned. How much it covers follows from what this read asked, never from the options of the lane: one lane
 * asks for different numbers of messages.
 *
 * @param read what was asked
 * @param rows in ascending order of id
 * @param candidates how many messages the statement looked at before it cut them to the limit and the bytes: of each range of
 *     missing ids and of the new messages, no more than the limit
 * @param ended transactions whose ids were left out, and that had ended before: their messages may be missing among the rows
 */
public record Batch(Read read, List<Row> rows, int candidates, Set<Long> ended) {
    /** One for which nothing was left out that could be seen. */
    public Batch(Read read, List<Row> rows, int candidates) {
        this(read, rows, candidates, Set.of());
    }

    /**
     * A row of the outbox.
     *
     * @param id its id
     * @param message the message, or null if the subscription does not select its type
     */
    public record Row(long id, Message message) {}

    /** The id up to which every visible message that was asked for is among the rows. */
    public long coveredTo() {
        return isCut() ? rows.get(rows.size() - 1).id() : read.to();
    }

    /** Whether a visible message may be missing: some were left out, or one of the parts may have reached the limit. */
    private boolean isCut() {
        return rows.size() < candidates || candidates >= read.limit();
    }
}
