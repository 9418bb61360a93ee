package dev.caravan.engine.progress;

import java.util.Set;

/**
 * The parameters of the next read: it returns the messages after the position and those found among the missing ids, in one
 * statement.
 *
 * @param position ids above it are new; {@link Long#MAX_VALUE} to read the missing ids only
 * @param missing the missing ids to look up again, as {@link IdRanges#toMultirange()} writes them
 * @param openTransactions transaction ids whose missing ids are left out; the read is outdated if it can see one of these transactions
 * @param to the highest id to read; {@link Long#MAX_VALUE} for no bound
 * @param limit maximum number of messages, at least 1
 * @param bytes maximum size of all messages in bytes; the first message is returned whatever its size
 */
public record Read(long position, String missing, Set<Long> openTransactions, long to, int limit, long bytes) {
    /** The lowest missing id; 0 if there is none. */
    public long lowestMissing() {
        return hasMissing() ? Long.parseLong(missing.substring(2, missing.indexOf(','))) : 0;
    }

    /** The highest missing id plus 1; 0 if there is none. */
    public long endOfMissing() {
        return hasMissing() ? Long.parseLong(missing.substring(missing.lastIndexOf(',') + 1, missing.length() - 2)) : 0;
    }

    private boolean hasMissing() {
        return !missing.equals("{}");
    }
}
