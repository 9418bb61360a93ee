package dev.caravan.lab.bench;

import java.util.List;

/** A very large backlog and a small heap. */
final class Backlog implements Scenario {
    private static final int MESSAGES = 5_000_000;

    @Override
    public String name() {
        return "backlog";
    }

    @Override
    public String description() {
        return "A backlog (5,000,000) goes to Kafka by a relay with a heap of 256 MB. A relay that needs more ends, and with"
                + " it the scenario.";
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        SmallHeap.drain(bench, Content.of(bench.size(), bench.size().messages(MESSAGES)), figures);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atLeast(
                "messages a second", 20_000, figures.of("caravan", Figure.RATE).median()));
    }
}
