package dev.caravan.progress;

import java.util.Set;

/**
 * What to read next: the messages after the position and those found among the missing ids, in one statement.
 *
 * @param position only ids above it are new; {@link Long#MAX_VALUE} for the missing ids alone
 * @param missing ids at or below the position to look up again, as a multirange
 * @param openTransactions ids that only these can fill are left out: the read is worth nothing once it could see one of them
 * @param to no id above it is looked up; {@link Long#MAX_VALUE} for no such bound
 * @param limit how many messages, at least 1
 * @param bytes how many bytes of messages; the first is returned however large it is
 */
public record Read(long position, String missing, Set<Long> openTransactions, long to, int limit, long bytes) {
    /** One that leaves nothing out. */
    public Read(long position, String missing, long to, int limit, long bytes) {
        this(position, missing, Set.of(), to, limit, bytes);
    }
}
