package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.Read;
import java.util.List;
import java.util.Set;

/**
 * The result of one read. What it covers depends on the parameters of this read, not on the options of the lane: the limit of
 * reads of one lane varies.
 *
 * @param read the parameters of the read
 * @param messages in ascending order of id; also those that the subscription does not select, with their ids only
 * @param candidates number of messages that the statement found before it applied the limits of number and bytes; at most the
 *     limit for each range of missing ids and for the new messages
 * @param ended the transactions that the read assumed to be open although they had ended before it: the batch may lack their
 *     messages
 */
public record Batch(Read read, List<Message> messages, int candidates, Set<Long> ended) {
    /** The id up to which the messages contain every visible message that was requested. */
    public long coveredTo() {
        return isCut() ? messages.get(messages.size() - 1).id() : read.to();
    }

    /** Whether the messages are all visible messages that were not taken before: the new ones and those of all missing ids. */
    public boolean isAll() {
        return ended.isEmpty() && !isCut() && read.position() != Long.MAX_VALUE && read.to() == Long.MAX_VALUE;
    }

    /** Whether a visible message may be missing, because messages were cut off, or a part may have reached the limit. */
    private boolean isCut() {
        return messages.size() < candidates || candidates >= read.limit();
    }
}
