package dev.caravan.operate.explain;

import dev.caravan.base.text.HttpStatusText;
import dev.caravan.database.Column;
import dev.caravan.operate.subscription.Halt;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A row of why/facts.sql: the facts that decide whether a message is delivered to one subscription.
 *
 * @param open whether it is read and not finished
 * @param dead the message itself as a dead letter
 * @param retry the message itself in outbox_retry; {@code blocked} says whether it waits behind another one
 * @param behind number of messages in outbox_retry before it, at most 1,000; {@code first} is the first of them
 * @param deadBefore a dead letter that blocks it
 * @param writtenAt empty if the message is no longer in the outbox
 * @param ahead number of messages of its lane that are read before it; a lower bound if {@code moreAhead}
 * @param missingBefore the first missing id that it waits for
 * @param discarded whether the last change by a person was to discard it
 * @param behindAll whether it waits for all earlier messages, as in order {@code strict}; otherwise only for those of its key
 */
record Facts(
        @Column("name") String subscription,
        int lane,
        int lanes,
        List<String> types,
        boolean notSelected,
        boolean notReached,
        boolean open,
        Optional<String> owner,
        Instant savedAt,
        Optional<Instant> writtenAt,
        boolean paused,
        @Column("pause_") Optional<Pause> pause,
        @Column("halt_") Optional<Halt> halt,
        boolean changing,
        @Column("outage_") Optional<Outage> outage,
        Optional<String> rateLimit,
        @Column("dead_") Optional<Failed> dead,
        @Column("retry_") Optional<Failed> retry,
        boolean blocked,
        long behind,
        @Column("first_") Optional<Failed> first,
        Optional<Long> deadBefore,
        boolean behindAll,
        long ahead,
        boolean moreAhead,
        Optional<Long> missingBefore,
        boolean discarded,
        boolean discardCanBeUndone) {

    record Pause(Instant at, String who, Optional<String> reason) {
        /** {@code  by anna: moves house}, with a leading space. */
        String text() {
            return " by " + who + reason.map(why -> ": " + why).orElse("");
        }
    }

    record Outage(Instant since, Optional<String> error, Optional<Instant> nextProbe) {}

    /**
     * A failed message.
     *
     * @param at the last failure, or null
     * @param nextAttempt null for a dead or blocked one
     * @param errorText null if it has not failed
     * @param answer the answer of the destination, or null
     */
    record Failed(
            long id,
            int attempts,
            @Column("last_failed_at") Instant at,
            @Column("next_attempt_at") Instant nextAttempt,
            String errorClass,
            String errorText,
            String answer) {
        /** The answer of the destination or the last error, the HTTP status first; null if it has not failed. */
        String error() {
            if (errorText == null) {
                return null;
            }
            return answer == null
                    ? HttpStatusText.error(errorClass, errorText)
                    : HttpStatusText.answer(answer, errorText);
        }
    }

    /** Whether it waits in the outbox: neither in a side table nor delivered. */
    boolean isUnread() {
        return dead.isEmpty() && retry.isEmpty() && !notSelected && (notReached || open);
    }
}
