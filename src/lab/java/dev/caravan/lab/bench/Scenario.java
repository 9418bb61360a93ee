package dev.caravan.lab.bench;

import java.util.List;

/** One thing that is measured. Each round uses databases and topics of its own. */
interface Scenario {
    /** Whether {@code all} means this one too. */
    default boolean isPartOfAll() {
        return true;
    }

    /** As it is called on the command line and in JSON. */
    String name();

    /** What is done and what is measured, in one or two sentences. */
    String description();

    /** Measures once, everything that is compared, one after the other. */
    void round(Bench bench, Figures figures) throws Exception;

    /** What is promised, judged by what was measured in all rounds. */
    List<Goal> goals(Figures figures);
}
