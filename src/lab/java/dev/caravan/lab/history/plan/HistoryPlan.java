package dev.caravan.lab.history.plan;

import java.util.List;

/** The options of a subscription, and what happens to it. */
public record HistoryPlan(HistoryOptions options, List<Step> steps) {
    /** One line for the options and one for each step. */
    public String print() {
        StringBuilder text = new StringBuilder("  options: ").append(options).append('\n');
        for (int i = 0; i < steps.size(); i++) {
            text.append(String.format("  %3d. %s%n", i + 1, steps.get(i)));
        }
        return text.toString();
    }
}
