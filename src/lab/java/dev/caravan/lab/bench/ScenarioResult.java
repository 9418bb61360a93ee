package dev.caravan.lab.bench;

import java.util.List;

/**
 * The result of a scenario.
 *
 * @param failure why the scenario could not finish; empty if it finished
 */
record ScenarioResult(Scenario scenario, Figures figures, List<Goal> goals, String failure) {
    boolean failed() {
        return !failure.isEmpty();
    }
}
