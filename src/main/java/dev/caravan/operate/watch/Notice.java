package dev.caravan.operate.watch;

import dev.caravan.base.message.Json;
import dev.caravan.base.text.Span;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A message about a problem.
 *
 * @param known the problem, before this notice
 * @param text one sentence for people, without content of messages
 */
record Notice(State state, KnownProblem known, String text, Instant since, Instant at) {
    /** The first half of the key. */
    static final String AGGREGATE_TYPE = "caravan";

    /** What a notice reports. */
    enum State {
        OPEN,
        STILL_OPEN,
        RECOVERED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Reports that a problem is open. */
    static Notice open(KnownProblem known, Problem found, Instant now) {
        boolean isRepeated = known.hasNotice() && !known.becameCritical();
        Instant since = found.since().orElse(known.openedAt());
        String text =
                known.severity() + (isRepeated ? " for " + Span.text(Duration.between(known.openedAt(), now)) : "")
                        + ": " + found.text();
        return new Notice(isRepeated ? State.STILL_OPEN : State.OPEN, known, text, since, now);
    }

    /** Reports that a problem has ended. */
    static Notice recovered(KnownProblem known, Instant now) {
        String text = "recovered after " + Span.text(Duration.between(known.openedAt(), known.seenAt())) + ": "
                + known.problem() + (known.subscription().isEmpty() ? "" : " of " + known.subscription());
        return new Notice(State.RECOVERED, known, text, known.openedAt(), now);
    }

    /** {@code caravan.notice.critical} or {@code caravan.notice.warning}: a recovery has the type of the last notice. */
    String type() {
        Severity severity =
                state == State.RECOVERED ? known.lastNotice().orElseThrow().severity() : known.severity();
        return type(severity);
    }

    static String type(Severity severity) {
        return "caravan.notice." + severity;
    }

    /** The second half of the key: the notices of one problem are delivered in order. */
    String aggregateId() {
        return known.subscription().isEmpty() ? known.problem() : known.problem() + "/" + known.subscription();
    }

    private record Payload(
            String text,
            State state,
            String problem,
            String severity,
            Optional<String> subscription,
            Instant since,
            Instant at,
            String runbook) {}

    /** The payload, as JSON. */
    String payload() {
        return Json.line(new Payload(
                text,
                state,
                known.problem(),
                type().substring(type().lastIndexOf('.') + 1),
                Optional.of(known.subscription()).filter(name -> !name.isEmpty()),
                since,
                at,
                "docs/runbooks/" + known.problem() + ".md"));
    }
}
