package dev.caravan.lab.bench;

import java.util.List;

/**
 * How a scenario ended.
 *
 * @param failure why it could not be measured to the end; empty if it could
 */
record ScenarioResult(Scenario scenario, Figures figures, List<Goal> goals, String failure) {
    boolean failed() {
        return !failure.isEmpty();
    }
}
