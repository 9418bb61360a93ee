package dev.caravan.lab.history.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * One step of a history. A step that is impossible in the current state has no effect, so any step can be removed from a history.
 *
 * @param who number of the writer, relay or subscription
 * @param what number of the key, lane (of all subscriptions of the relay, one after the other), attempt or message; or milliseconds
 * @param more number of further statements or messages
 */
public record Step(StepKind kind, int who, int what, int more) {
    /** This step with one lower number, in each possible way. */
    List<Step> simpler() {
        List<Step> steps = new ArrayList<>();
        if (what > 0) {
            steps.add(new Step(kind, who, 0, more));
            steps.add(new Step(kind, who, what / 2, more));
        }
        if (more > 0) {
            steps.add(new Step(kind, who, what, 0));
            steps.add(new Step(kind, who, what, more / 2));
        }
        return steps;
    }

    @Override
    public String toString() {
        String name = kind.isOfRelay() ? (who == 0 ? "A" : "B") : Integer.toString(who + 1);
        return String.format(kind.text, name, what, more, more + 1);
    }
}
