package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import java.util.List;

/** A measurement. Each round uses its own databases and topics. */
public abstract class Scenario {
    private final String name;
    private final String description;

    /**
     * @param name the name on the command line and in JSON
     * @param description the run and the measured figures in a few sentences
     */
    protected Scenario(String name, String description) {
        this.name = name;
        this.description = description;
    }

    /** Whether {@code all} includes this scenario. */
    public boolean isPartOfAll() {
        return true;
    }

    public final String name() {
        return name;
    }

    public final String description() {
        return description;
    }

    /** Measures once, one after the other, all figures that are compared. */
    public abstract void round(Bench bench, Figures figures) throws Exception;

    /** The goals, checked against the figures of all rounds. */
    public abstract List<Goal> goals(Figures figures);
}
