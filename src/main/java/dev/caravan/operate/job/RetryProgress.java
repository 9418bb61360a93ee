package dev.caravan.operate.job;

import dev.caravan.database.Column;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The counts of a bulk retry, and the rule by which it stops: when one of the first messages fails again, and later when at least 20 and
 * at least a fifth of about the last 100 outcomes are failures.
 *
 * @param first number of messages that are retried first; others are retried when their outcome is known
 * @param recent number of outcomes in the current series of about 100
 * @param recentFailed number of failures among them
 * @param pending ids of retried messages whose outcome is not known
 */
record RetryProgress(
        int first,
        @Column("done") long retried,
        long delivered,
        long failed,
        @Column("recent_outcomes") int recent,
        int recentFailed,
        List<Long> pending) {
    /** Maximum number of messages without an outcome. */
    static final int MAX_PENDING = 10_000;

    /** The same until more than these are delivered: what fails from then on is a part of what was delivered before. */
    private static final int MAX_PENDING_AT_FIRST = 1_000;

    private static final int SERIES = 100;
    private static final int FAILURES = 20;
    private static final int PART = 5;

    /**
     * The outcomes of the pending messages.
     *
     * @param waiting ids of those without an outcome
     * @param discarded number of those that a person discarded
     * @param error one of the errors
     */
    record Outcome(List<Long> waiting, long failed, long discarded, Optional<String> error) {}

    /** The progress after the outcome of pending messages is known. */
    RetryProgress with(Outcome outcome) {
        long known = pending.size() - outcome.waiting.size();
        boolean isNew = recent >= SERIES;
        return new RetryProgress(
                first,
                retried,
                delivered + known - outcome.failed - outcome.discarded,
                failed + outcome.failed,
                (int) (known + (isNew ? 0 : recent)),
                (int) (outcome.failed + (isNew ? 0 : recentFailed)),
                outcome.waiting);
    }

    /** The progress with a new series of outcomes. */
    RetryProgress withoutRecent() {
        return new RetryProgress(first, retried, delivered, failed, 0, 0, pending);
    }

    /** Whether it must stop. */
    boolean mustStop() {
        return isFirst() ? recentFailed > 0 : recentFailed >= FAILURES && recentFailed * PART >= recent;
    }

    /** Whether only the first messages have been retried. */
    boolean isFirst() {
        return retried <= first;
    }

    /** Number of messages that may be retried now, regardless of the rate. */
    int mayRetry() {
        if (retried < first) {
            return first - (int) retried;
        }
        if (isFirst() && !pending.isEmpty()) {
            return 0;
        }
        long limit = Math.min(MAX_PENDING, Math.max(MAX_PENDING_AT_FIRST, delivered));
        return (int) Math.max(0, limit - pending.size());
    }

    /** The progress after more messages were retried. */
    RetryProgress retried(List<Long> ids) {
        return new RetryProgress(
                first,
                retried + ids.size(),
                delivered,
                failed,
                recent,
                recentFailed,
                Stream.concat(pending.stream(), ids.stream()).toList());
    }
}
