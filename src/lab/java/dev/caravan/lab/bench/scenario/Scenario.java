package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import java.util.List;

/** A measurement. Each round uses its own databases and topics. */
public interface Scenario {
    /** Whether {@code all} includes this scenario. */
    default boolean isPartOfAll() {
        return true;
    }

    /** The name on the command line and in JSON. */
    String name();

    /** Describes the run and the measured figures in a few sentences. */
    String description();

    /** Measures once, one after the other, all figures that are compared. */
    void round(Bench bench, Figures figures) throws Exception;

    /** The goals, checked against the figures of all rounds. */
    List<Goal> goals(Figures figures);
}
