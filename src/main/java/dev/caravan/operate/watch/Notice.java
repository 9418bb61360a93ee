package dev.caravan.operate.watch;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.caravan.base.text.Span;
import dev.caravan.operate.explain.Problem;
import dev.caravan.operate.explain.Problem.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

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

    /** The payload, as JSON. */
    String payload() {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        fields.put("text", text);
        fields.put("state", state.toString());
        fields.put("problem", known.problem());
        fields.put("severity", type().substring(type().lastIndexOf('.') + 1));
        fields.put("subscription", known.subscription().isEmpty() ? null : known.subscription());
        fields.put("since", since.toString());
        fields.put("at", at.toString());
        fields.put("runbook", "docs/runbooks/" + known.problem() + ".md");
        return fields.toString();
    }
}
