package dev.caravan.lab.history.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The subscriptions of all relays, at least one, and what happens to them.
 *
 * @param sharesReads whether the lanes of a relay share the reads and saves of a tail, which follows the lanes in the numbers of the steps
 */
public record HistoryPlan(List<HistoryOptions> subscriptions, boolean sharesReads, List<Step> steps) {
    HistoryPlan with(List<Step> others) {
        return new HistoryPlan(subscriptions, sharesReads, others);
    }

    /** The same steps with fewer subscriptions or simpler options, each with one difference. */
    List<HistoryPlan> simpler() {
        List<HistoryPlan> all = new ArrayList<>();
        if (sharesReads) {
            all.add(new HistoryPlan(subscriptions, false, steps));
        }
        for (int i = 0; i < subscriptions.size(); i++) {
            if (subscriptions.size() > 1) {
                List<HistoryOptions> fewer = new ArrayList<>(subscriptions);
                fewer.remove(i);
                all.add(new HistoryPlan(fewer, sharesReads, steps));
            }
            for (HistoryOptions simpler : subscriptions.get(i).simpler()) {
                List<HistoryOptions> changed = new ArrayList<>(subscriptions);
                changed.set(i, simpler);
                all.add(new HistoryPlan(changed, sharesReads, steps));
            }
        }
        return all;
    }

    /** One line for the options of each subscription and one for each step. */
    public String print() {
        StringBuilder text = new StringBuilder(sharesReads ? "  lanes share reads\n" : "");
        for (int i = 0; i < subscriptions.size(); i++) {
            text.append(String.format("  subscription %d: %s%n", i + 1, subscriptions.get(i)));
        }
        for (int i = 0; i < steps.size(); i++) {
            text.append(String.format("  %3d. %s%n", i + 1, steps.get(i)));
        }
        return text.toString();
    }
}
