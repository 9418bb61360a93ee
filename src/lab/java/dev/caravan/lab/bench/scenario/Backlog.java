package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import java.util.List;

/** Delivers a very large backlog with a small heap. */
public final class Backlog extends Scenario {
    private static final int MESSAGES = 5_000_000;

    public Backlog() {
        super(
                "backlog",
                "A relay with a heap of 256 MB delivers a backlog (5,000,000) to Kafka. The scenario fails when the relay"
                        + " needs more memory.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        SmallHeap.drain(bench, Content.of(bench.size(), bench.size().messages(MESSAGES)), figures);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atLeast("messages per second", 20_000, figures.median("caravan", Figure.RATE)));
    }
}
