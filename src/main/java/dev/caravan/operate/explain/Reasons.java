package dev.caravan.operate.explain;

import dev.caravan.base.text.Formatted;
import dev.caravan.base.text.Span;
import dev.caravan.operate.explain.Facts.Failed;
import dev.caravan.operate.explain.Remedy.Action;
import dev.caravan.operate.intake.Intakes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the reasons why a message is not delivered yet to one subscription. No I/O. */
final class Reasons {
    /** After the discarded dead letter is pruned. */
    static final WaitReason DISCARDED =
            WaitReason.of(Cause.DISCARDED, "A person discarded it, and the discard can no longer be undone");

    /** After a retry that succeeded; the message has another id. */
    static final WaitReason COPIED = WaitReason.of(
            Cause.COPIED, "A person retried the rejected row, and it is copied into the outbox as a message");

    private static final int ERROR_WIDTH = 300;

    /** As after which a lane warns in the log. */
    private static final Duration LONG_ATTEMPT = Duration.ofMinutes(5);

    private final Facts facts;
    private final long id;
    private final Instant now;
    private final List<WaitReason> reasons = new ArrayList<>();
    private Optional<Instant> expected = Optional.empty();

    private Reasons(Facts facts, long id, Instant now) {
        this.facts = facts;
        this.id = id;
        this.now = now;
    }

    /** @param rate messages that the subscription delivers per second, over all lanes; empty if unknown */
    static Explanation of(Facts facts, long id, Optional<Double> rate, Instant now) {
        Reasons found = new Reasons(facts, id, now);
        found.find(rate);
        return new Explanation(Optional.of(facts.subscription()), id, List.copyOf(found.reasons), found.expected);
    }

    private void find(Optional<Double> rate) {
        if (facts.dead().isPresent()) {
            dead(facts.dead().get());
        } else if (facts.retry().isPresent()) {
            stopped();
            waits(facts.retry().get());
        } else if (facts.notSelected()) {
            add(WaitReason.of(
                            Cause.NOT_SELECTED,
                            "Its type is not among the types of the subscription: "
                                    + String.join(", ", facts.types()).replace('%', '*'))
                    .next("./caravan check"));
        } else if (facts.isUnread()) {
            stopped();
            unread(rate);
        } else {
            add(
                    facts.discarded()
                            ? discarded()
                            : isOfIntake()
                                    ? COPIED
                                    : WaitReason.of(
                                            Cause.DELIVERED, "It is delivered, or the subscription started after it"));
        }
    }

    private boolean isOfIntake() {
        return Intakes.ofSubscription(facts.subscription()).isPresent();
    }

    private WaitReason discarded() {
        return facts.discardCanBeUndone()
                ? WaitReason.of(Cause.DISCARDED, "A person discarded it").remedies(remedy(Action.UNDO_DISCARD, id))
                : DISCARDED;
    }

    private void dead(Failed dead) {
        add(WaitReason.of(Cause.DEAD, "It is a dead letter after " + attempts(dead))
                .error(error(dead))
                .since(dead.at())
                .next(show("dead-letters", id))
                .remedies(remedy(Action.RETRY_DEAD_LETTER, id), remedy(Action.DISCARD_DEAD_LETTER, id)));
    }

    /** Adds the reasons that stop the whole lane. */
    private void stopped() {
        String name = facts.subscription();
        if (isOfIntake()) {
            reasons.addAll(IntakeReasons.of(facts));
            return;
        }
        facts.halt()
                .ifPresent(halt -> add(WaitReason.of(Cause.HALTED, "A relay halted the subscription")
                        .error(Optional.of(halt.reason()))
                        .since(halt.since())
                        .remedies(Remedy.of(Action.RESUME_HALTED, name))));
        if (facts.paused()) {
            add(WaitReason.of(
                            Cause.PAUSED,
                            "The subscription is paused"
                                    + facts.pause().map(Facts.Pause::text).orElse(""))
                    .since(facts.pause().map(Facts.Pause::at).orElse(null))
                    .remedies(Remedy.of(Action.RESUME, name)));
        }
        if (facts.changing()) {
            add(WaitReason.of(Cause.CHANGING_LANES, "The number of lanes is being changed"));
        } else if (facts.owner().isEmpty() && !facts.paused() && facts.halt().isEmpty()) {
            add(WaitReason.of(Cause.NO_RELAY, "No relay holds its lane (" + facts.lane() + ")")
                    .since(facts.savedAt())
                    .next("./caravan run"));
        }
        facts.outage()
                .ifPresent(outage -> add(WaitReason.of(
                                Cause.DESTINATION_UNAVAILABLE,
                                "The destination is unavailable"
                                        + outage.nextProbe()
                                                .map(probe -> "; next probe " + in(probe))
                                                .orElse(""))
                        .error(outage.error())
                        .since(outage.since())
                        .next("./caravan check")));
    }

    private void waits(Failed retry) {
        if (!facts.blocked()) {
            add(WaitReason.of(
                            Cause.WAITS_FOR_RETRY,
                            retry.attempts() == 0 && retry.error() == null
                                    ? "It waited behind another message of its key, or is replayed or retried by a"
                                            + " person, and is due "
                                            + in(retry.nextAttempt())
                                    : "It waits for another attempt, " + in(retry.nextAttempt()) + ", after "
                                            + attempts(retry))
                    .error(error(retry))
                    .since(retry.at())
                    .next(show("retries", id))
                    .remedies(remedy(Action.RETRY_NOW, id), remedy(Action.GIVE_UP, id)));
            expect(retry.nextAttempt());
        } else if (facts.deadBefore().isPresent()) {
            behindDeadLetter(facts.deadBefore().get());
        } else if (facts.first().isPresent()) {
            behind(facts.first().get());
        } else {
            add(WaitReason.of(Cause.IN_FLIGHT, "It is the next message of its key and is due now"));
        }
    }

    private void behindDeadLetter(long dead) {
        add(WaitReason.of(
                        Cause.BEHIND_DEAD_LETTER,
                        "Dead letter " + dead
                                + (facts.behindAll() ? " stops the subscription (order=strict)" : " blocks its key")
                                + " until a person retries or discards it")
                .next(show("dead-letters", dead))
                .remedies(remedy(Action.RETRY_DEAD_LETTER, dead), remedy(Action.DISCARD_DEAD_LETTER, dead)));
    }

    private void behind(Failed first) {
        WaitReason reason = WaitReason.of(
                        Cause.BEHIND_MESSAGE,
                        "It waits behind "
                                + (facts.behind() == 1_000
                                        ? "1,000 or more messages"
                                        : Formatted.counted(facts.behind(), "message"))
                                + (facts.behindAll() ? " of the subscription (order=strict)" : " of its key")
                                + "; the first one is " + first.id()
                                + (first.nextAttempt() == null ? "" : ", tried " + in(first.nextAttempt()))
                                + (first.attempts() == 0 ? "" : " after " + attempts(first)))
                .error(error(first))
                .next(show("retries", first.id()));
        add(
                first.nextAttempt() == null
                        ? reason
                        : reason.remedies(remedy(Action.RETRY_NOW, first.id()), remedy(Action.GIVE_UP, first.id())));
        expect(first.nextAttempt());
    }

    private void unread(Optional<Double> rate) {
        facts.deadBefore().ifPresent(this::behindDeadLetter);
        if (facts.deadBefore().isEmpty()) {
            facts.first().ifPresent(this::behind);
        }
        boolean moves = reasons.isEmpty();
        facts.rateLimit()
                .ifPresent(limit -> add(WaitReason.of(
                        Cause.RATE_LIMITED, "Messages of its lane wait for the rate of the route, " + limit)));
        facts.missingBefore()
                .ifPresent(missing -> add(WaitReason.of(
                                Cause.BEHIND_MISSING_ID,
                                "The id " + missing + " before it is missing: with order=strict it waits for the"
                                        + " transaction that may still write it")
                        .next("./caravan why " + missing)));
        if (facts.notReached()) {
            notReached(rate, moves);
        } else if (moves) {
            add(WaitReason.of(
                    Cause.IN_FLIGHT,
                    "It is read by " + facts.owner().orElse("a relay")
                            + " and is being delivered, or waits for an earlier message of its key" + nothingEnds()));
        }
    }

    private void notReached(Optional<Double> rate, boolean moves) {
        String ahead = (facts.moreAhead() ? "at least " : "")
                + (facts.ahead() == 0 ? "no message" : Formatted.counted(facts.ahead(), "message"));
        double perSecond = rate.orElse(0.0) / facts.lanes();
        boolean known = moves && !facts.moreAhead() && (facts.ahead() == 0 || perSecond > 0);
        add(WaitReason.of(
                Cause.NOT_REACHED,
                "Its lane has not read it yet: " + ahead + " ahead of it"
                        + (facts.ahead() == 0
                                ? ""
                                : perSecond > 0
                                        ? String.format(Locale.ROOT, ", at %.1f a second in this lane", perSecond)
                                        : "; the lane delivers nothing now" + (moves ? nothingEnds() : ""))));
        if (known) {
            expect(now.plusMillis(facts.ahead() == 0 ? 0 : (long) (facts.ahead() / perSecond * 1_000)));
        }
    }

    /** A hint about a step that never ends; empty if progress was saved since the message is there, or in the last minutes. */
    private String nothingEnds() {
        Instant written = facts.writtenAt().orElse(now);
        Duration since = Duration.between(written.isAfter(facts.savedAt()) ? written : facts.savedAt(), now);
        return facts.owner().isEmpty() || since.compareTo(LONG_ATTEMPT) < 0
                ? ""
                : ". No attempt in its lane has ended for " + Span.text(since)
                        + ": a step without a timeout may never end, and holds one of the concurrency attempts until"
                        + " the relay is restarted. The log and the health of the relay name it";
    }

    /** No time is expected while something else stops the message. */
    private void expect(Instant time) {
        if (reasons.size() == 1 && time != null) {
            expected = Optional.of(time.isBefore(now) ? now : time);
        }
    }

    private void add(WaitReason reason) {
        reasons.add(reason);
    }

    private String in(Instant time) {
        return Span.in(Duration.between(now, time));
    }

    private String show(String kind, long of) {
        return "./caravan " + kind + " show " + facts.subscription() + " " + of;
    }

    private static String attempts(Failed failed) {
        return Formatted.counted(failed.attempts(), "attempt");
    }

    private Remedy remedy(Action action, long message) {
        return Remedy.of(action, facts.subscription(), message);
    }

    private static Optional<String> error(Failed failed) {
        return Optional.ofNullable(failed.error()).map(error -> Formatted.line(error, ERROR_WIDTH));
    }
}
