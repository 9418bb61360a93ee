package dev.caravan.notice;

import dev.caravan.diagnosis.Problem;
import dev.caravan.diagnosis.Problem.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A problem that was found lately, and what people were told about it. Each relay may find it: one relay writes the notices at a time.
 *
 * @param problem the name of the problem
 * @param subscription empty if the problem concerns no single subscription
 * @param severity when it was found last
 * @param openedAt when it was found first, or again after it was over
 * @param seenAt when it was found last
 * @param told the last notice about it; empty before the first
 * @param isOver whether it was not found for {@link #QUIET}
 */
record KnownProblem(
        String problem,
        String subscription,
        Severity severity,
        Instant openedAt,
        Instant seenAt,
        Optional<Told> told,
        boolean isOver) {
    /** A problem that lasts shorter is not told: the start of a relay, or a lease that changes its owner. */
    static final Duration DELAY = Duration.ofMinutes(1);
    /** A problem is over when it was not found for so long. Longer than what a relay must observe to find one. */
    static final Duration QUIET = Duration.ofMinutes(5);

    private static final Duration SAVE_INTERVAL = Duration.ofMinutes(1);

    /**
     * A notice that was written.
     *
     * @param severity that of the notice
     */
    record Told(Instant at, Severity severity) {}

    /** A problem that nobody knew. */
    static KnownProblem first(Problem found, Instant now) {
        return new KnownProblem(
                found.name().toString(),
                found.subscription().orElse(""),
                found.severity(),
                now,
                now,
                Optional.empty(),
                false);
    }

    /** The problem after it was found again. Changes only once a minute, unless something else than the time has changed. */
    KnownProblem seen(Problem found, Instant now) {
        boolean isSame = !isOver && severity == found.severity();
        if (isSame && now.isBefore(seenAt.plus(SAVE_INTERVAL))) {
            return this;
        }
        return new KnownProblem(problem, subscription, found.severity(), isOver ? now : openedAt, now, told, false);
    }

    /** The problem after it was not found. */
    KnownProblem unseen(Instant now) {
        boolean ends = !now.isBefore(seenAt.plus(QUIET));
        return ends ? new KnownProblem(problem, subscription, severity, openedAt, seenAt, told, true) : this;
    }

    /** The problem after a notice was written. */
    KnownProblem told(Instant now) {
        return new KnownProblem(
                problem, subscription, severity, openedAt, seenAt, Optional.of(new Told(now, severity)), isOver);
    }

    /** Whether people were told of it since it opened. */
    boolean isTold() {
        return told.filter(last -> !last.at().isBefore(openedAt)).isPresent();
    }

    /** Whether it is time to tell that it is open: for the first time, again, or because it has become critical. */
    boolean isToBeTold(Duration repeat, Instant now) {
        boolean lasts = !isOver && !now.isBefore(openedAt.plus(DELAY));
        return lasts && (becameCritical() || !isSilent(repeat, now));
    }

    /** Whether the last notice was a warning and the problem is critical now. */
    boolean becameCritical() {
        return severity == Severity.CRITICAL
                && told.filter(last -> last.severity() == Severity.WARNING).isPresent();
    }

    /** Whether nothing needs to be known of it any more: it is over, and the next time people may be told at once. */
    boolean isForgotten(Duration repeat, Instant now) {
        return isOver && !isSilent(repeat, now);
    }

    private boolean isSilent(Duration repeat, Instant now) {
        return told.filter(last -> now.isBefore(last.at().plus(repeat))).isPresent();
    }
}
