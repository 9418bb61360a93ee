package dev.caravan.lab.bench.report;

import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.scenario.Scenario;
import java.util.List;

/**
 * The result of a scenario.
 *
 * @param failure why the scenario could not finish; empty if it finished
 */
public record ScenarioResult(Scenario scenario, Figures figures, List<Goal> goals, String failure) {
    boolean failed() {
        return !failure.isEmpty();
    }
}
