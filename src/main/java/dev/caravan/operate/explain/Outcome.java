package dev.caravan.operate.explain;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.operate.audit.AuditEntry;
import dev.caravan.operate.explain.Facts.Failed;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.intake.Intakes;
import dev.caravan.operate.subscription.Obstacle;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What became of a message in one subscription after the last change of it by a person.
 *
 * @param state where it is now, or the first reason why it is not delivered
 * @param text one sentence without content of a message
 * @param settled whether it stays as it is unless a person changes it
 * @param at the time of this answer, by the clock of the database
 * @param history the changes of it that people made, oldest first
 */
public record Outcome(
        String subscription, long id, Cause state, String text, boolean settled, Instant at, List<AuditEntry> history) {
    private static final int ERROR_WIDTH = 300;

    /** Up to this time after a retry, the time until a delivery was seen is told. It is an upper bound: no table has the time itself. */
    private static final Duration SOON = Duration.ofMinutes(1);

    /** Whether its destination has it, or it needs no delivery; of a rejected row of an intake, whether it became a message. */
    public boolean isDelivered() {
        return state == Cause.DELIVERED || state == Cause.COPIED;
    }

    /** @param facts of a message that is stored; one that was retried and is in no table was delivered */
    static Outcome of(
            String subscription,
            Optional<Facts> facts,
            Explanation explanation,
            List<AuditEntry> history,
            Instant now) {
        WaitReason first = explanation.reasons().get(0);
        Optional<AuditEntry> change = history.stream().reduce((before, after) -> after);
        Optional<AuditEntry> retry = change.filter(entry -> entry.action().equals("retry"));
        Cause state = facts.isEmpty() && retry.isPresent()
                ? (Intakes.ofSubscription(subscription).isPresent() ? Cause.COPIED : Cause.DELIVERED)
                : change.filter(any -> first.cause() == Cause.NOT_SELECTED)
                        .flatMap(Outcome::finished)
                        .orElse(first.cause());
        String text =
                switch (state) {
                    case DELIVERED ->
                        retry.map(entry -> finished("Delivered", entry, now)).orElse(first.sentence());
                    case COPIED ->
                        retry.map(entry -> finished("Copied", entry, now)).orElse(first.sentence());
                    case DISCARDED ->
                        change.filter(entry ->
                                        facts.isPresent() && entry.action().equals("discard"))
                                .map(discard -> discarded(discard, now))
                                .orElse(first.sentence());
                    case DEAD -> dead(facts.flatMap(Facts::dead).orElseThrow(), change, first, now);
                    case WAITS_FOR_RETRY -> waits(facts.flatMap(Facts::retry).orElseThrow(), retry, first, now);
                    case DESTINATION_UNAVAILABLE ->
                        destination(facts.flatMap(Facts::outage).orElseThrow(), first, now);
                    default -> first.sentence();
                };
        return new Outcome(
                subscription, explanation.id(), state, text, isSettled(state), now, Shown.NAMES_ONLY.all(history));
    }

    /** The same message if its subscription was deleted after the last change: if it is in no table, it may have been deleted too. */
    Outcome ofDeleted() {
        String unknown = "Not known: the subscription was deleted since, with its waiting messages and dead letters";
        return new Outcome(subscription, id, Cause.GONE, unknown, true, at, history);
    }

    /** The state of a finished message after its last change by a person; empty if the change does not tell. */
    public static Optional<Cause> finished(AuditEntry change) {
        return switch (change.action()) {
            case "retry" -> Optional.of(Cause.DELIVERED);
            case "discard" -> Optional.of(Cause.DISCARDED);
            default -> Optional.empty();
        };
    }

    private static boolean isSettled(Cause cause) {
        return switch (cause) {
            case DELIVERED, COPIED, DISCARDED, DEAD, NOT_SELECTED, GONE -> true;
            default -> false;
        };
    }

    private static String finished(String done, AuditEntry retry, Instant now) {
        Duration since = Duration.between(retry.at(), now);
        return since.compareTo(SOON) < 0
                ? done + " within " + Span.text(since) + " of the retry by " + retry.who()
                : done + " after the retry by " + retry.who() + " " + ago(retry, now);
    }

    private static String discarded(AuditEntry discard, Instant now) {
        return "Discarded by " + discard.who() + " " + ago(discard, now)
                + discard.reason().map(reason -> ": " + reason).orElse("");
    }

    private static String dead(Failed dead, Optional<AuditEntry> change, WaitReason reason, Instant now) {
        String text = reason.sentence();
        if (change.isEmpty()) {
            return text;
        }
        AuditEntry entry = change.get();
        return switch (entry.action()) {
            case "retry" ->
                dead.at().isAfter(entry.at())
                        ? "Dead again " + later(entry, dead.at()) + ", after "
                                + Formatted.counted(dead.attempts(), "attempt") + error(reason)
                        : text;
            case "give-up" -> "Given up by " + entry.who() + " " + ago(entry, now) + ". " + text;
            case "undo-discard" -> "The discard was undone by " + entry.who() + " " + ago(entry, now) + ". " + text;
            default -> text;
        };
    }

    private static String waits(Failed waiting, Optional<AuditEntry> retry, WaitReason reason, Instant now) {
        if (retry.isEmpty()) {
            return reason.sentence();
        }
        Duration left = Duration.between(now, waiting.nextAttempt());
        if (waiting.at() != null && waiting.at().isAfter(retry.get().at())) {
            return "Failed again " + later(retry.get(), waiting.at()) + " (attempt " + waiting.attempts() + ")"
                    + error(reason) + "; next attempt " + Span.in(left);
        }
        return left.isNegative() || left.isZero()
                ? "Being tried now, or next: retried by " + retry.get().who() + " " + ago(retry.get(), now)
                : reason.sentence();
    }

    private static String destination(Facts.Outage outage, WaitReason reason, Instant now) {
        return "Waits for the destination"
                + outage.nextProbe()
                        .map(probe -> ", " + Obstacle.probe(probe, now))
                        .orElse("")
                + error(reason);
    }

    private static String later(AuditEntry retry, Instant time) {
        return Span.text(Duration.between(retry.at(), time)) + " after the retry by " + retry.who();
    }

    private static String ago(AuditEntry entry, Instant now) {
        return Span.text(Duration.between(entry.at(), now)) + " ago";
    }

    private static String error(WaitReason reason) {
        return reason.error()
                .map(error -> ": " + Formatted.line(error, ERROR_WIDTH))
                .orElse("");
    }
}
