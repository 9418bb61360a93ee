package dev.caravan.routes.tryout;

import dev.caravan.base.message.Message;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.RetryPolicy;
import dev.caravan.routes.destination.Sent;
import java.time.Duration;
import java.util.List;

/**
 * One attempt to deliver a message by a route.
 *
 * @param failure why it was not delivered; null if it was
 * @param retryAfter the wait that the destination requested; zero if none
 * @param recorded what was sent, or would be, in order
 * @param afterDeath what the route {@code dead-letter} sends, if the message is dead
 */
public record Trial(
        Message message,
        String route,
        String subscription,
        int attempt,
        End end,
        Failure failure,
        Duration retryAfter,
        RetryPolicy policy,
        List<Recorded> recorded,
        List<Recorded> afterDeath) {
    /** How an attempt ended. */
    public enum End {
        DELIVERED,
        /** An idempotentConsumer has skipped it, because it was delivered before. */
        REPEAT,
        /** The attempt counts, and the message is retried. */
        RETRIED,
        /** The destination is unavailable: all messages wait, and no attempt is counted. */
        WAITS,
        DEAD,
        /** The route had not ended after the longest allowed time. */
        UNFINISHED
    }

    /** What was sent, or would be, without the answers. */
    public List<Sent> sent() {
        return recorded.stream().map(Recorded::sent).toList();
    }

    private boolean hasQueryNotRun() {
        return recorded.stream().anyMatch(each -> each.answer().body().equals(RecordedSql.NOT_RUN));
    }

    /** What happens to the message next, as a sentence. */
    public String outcome() {
        return switch (end) {
            case DELIVERED ->
                recorded.isEmpty()
                        ? "delivered, although nothing was sent"
                        : hasQueryNotRun()
                                ? "delivered, if the query returns what the next steps need: it was not run"
                                : "delivered";
            case REPEAT -> "delivered: recognized as a repeat of a delivered message";
            case RETRIED ->
                "retried: the failure counts as attempt " + attempt + " of " + policy.maxAttempts()
                        + ", then the message becomes a dead letter";
            case WAITS ->
                "waits: the destination counts as unavailable, all messages of the subscription wait, no attempt is counted"
                        + (retryAfter.isZero() ? "" : "; it asked to wait " + retryAfter.toSeconds() + " s");
            case DEAD -> "dead letter: it is not retried by itself";
            case UNFINISHED -> "unknown: the route had not ended in time";
        };
    }
}
