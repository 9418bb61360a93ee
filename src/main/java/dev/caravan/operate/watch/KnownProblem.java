package dev.caravan.operate.watch;

import dev.caravan.database.Column;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A problem that was found recently, and the last notice about it. Any relay may find it; one relay at a time writes notices.
 *
 * @param problem the name of the problem
 * @param subscription empty if the problem concerns no single subscription
 * @param severity its severity when it was last found
 * @param openedAt when it was first found, or found again after it had ended
 * @param seenAt when it was last found
 * @param lastNotice empty before the first one
 * @param isOver whether it has ended: no relay has found it for {@link #QUIET}
 */
record KnownProblem(
        String problem,
        String subscription,
        Severity severity,
        Instant openedAt,
        Instant seenAt,
        @Column("notice_") Optional<LastNotice> lastNotice,
        boolean isOver) {
    /** A problem that ends sooner causes no notice, for example during the start of a relay or a change of a lease. */
    static final Duration DELAY = Duration.ofMinutes(1);
    /** A problem has ended when no relay has found it for this time. Longer than the period that a relay observes to find a problem. */
    static final Duration QUIET = Duration.ofMinutes(5);

    /**
     * The longest time for which a problem that has returned is not reported: its last notice said that it had ended. It is not reported at
     * once, because a problem that comes and goes would cause many notices.
     */
    static final Duration LONGEST_SILENCE_AFTER_RETURN = Duration.ofMinutes(30);

    private static final Duration SAVE_INTERVAL = Duration.ofMinutes(1);

    /** When and with which severity the last notice was written. */
    record LastNotice(Instant at, Severity severity) {}

    /** A problem that was not known before. */
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

    /** The problem after it was found again. If only the time has changed, it is updated once a minute. */
    KnownProblem seen(Problem found, Instant now) {
        boolean isSame = !isOver && severity == found.severity();
        if (isSame && now.isBefore(seenAt.plus(SAVE_INTERVAL))) {
            return this;
        }
        return new KnownProblem(
                problem, subscription, found.severity(), isOver ? now : openedAt, now, lastNotice, false);
    }

    /** The problem after it was not found. */
    KnownProblem unseen(Instant now) {
        boolean ends = !now.isBefore(seenAt.plus(QUIET));
        return ends ? new KnownProblem(problem, subscription, severity, openedAt, seenAt, lastNotice, true) : this;
    }

    /** The problem after a notice was written. */
    KnownProblem afterNotice(Instant now) {
        return new KnownProblem(
                problem, subscription, severity, openedAt, seenAt, Optional.of(new LastNotice(now, severity)), isOver);
    }

    /** Whether a notice was written since it opened. */
    boolean hasNotice() {
        return lastNotice.filter(last -> !last.at().isBefore(openedAt)).isPresent();
    }

    /** Whether a notice that it is open is due: the first one, a repeated one, or one because it has become critical. */
    boolean noticeIsDue(Duration repeat, Instant now) {
        boolean lasts = !isOver && !now.isBefore(openedAt.plus(DELAY));
        return lasts && (becameCritical() || !wasReportedWithin(hasNotice() ? repeat : afterReturn(repeat), now));
    }

    /** Whether the last notice was a warning and the problem is critical now. */
    boolean becameCritical() {
        return severity == Severity.CRITICAL
                && lastNotice
                        .filter(last -> last.severity() == Severity.WARNING)
                        .isPresent();
    }

    /** Whether its row can be deleted: it has ended, and if it begins again, a notice may be written at once. */
    boolean canBeDeleted(Duration repeat, Instant now) {
        return isOver && !wasReportedWithin(afterReturn(repeat), now);
    }

    private static Duration afterReturn(Duration repeat) {
        return repeat.compareTo(LONGEST_SILENCE_AFTER_RETURN) < 0 ? repeat : LONGEST_SILENCE_AFTER_RETURN;
    }

    private boolean wasReportedWithin(Duration repeat, Instant now) {
        return lastNotice.filter(last -> now.isBefore(last.at().plus(repeat))).isPresent();
    }
}
