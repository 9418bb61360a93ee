package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.RawLoop;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import java.util.List;

/** Delivers messages of 100 KB. */
public final class Large extends Scenario {
    private static final int MESSAGES = 5_000;
    private static final int BYTES = 100_000;
    private static final int RAW_BATCH = 40;

    public Large() {
        super(
                "large",
                "A backlog (5,000) of messages of 100 KB is delivered to Kafka by a raw loop (the limit) and by Caravan with a"
                        + " heap of 256 MB. The raw loop reads 40 messages at a time, as many as batchBytes of Caravan allows.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Content content =
                Content.of(bench.size(), bench.size().messages(MESSAGES)).withBytes(BYTES);
        Drain.drain(bench, new RawLoop(RAW_BATCH), content, figures, "limit");
        SmallHeap.drain(bench, content, figures);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atLeast(
                "Caravan's rate relative to the limit",
                0.5,
                figures.ratioToLimit("caravan").orElseThrow().median()));
    }
}
