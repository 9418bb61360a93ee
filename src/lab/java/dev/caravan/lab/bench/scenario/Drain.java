package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.contender.Contender;
import dev.caravan.lab.bench.contender.NaiveRoute;
import dev.caravan.lab.bench.contender.RawLoop;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.CpuSamples;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Topic;
import java.util.List;

/** Measures how fast a backlog is delivered to Kafka. */
public final class Drain extends Scenario {
    private static final int MESSAGES = 200_000;

    public Drain() {
        super(
                "drain",
                "A backlog of 200,000 messages, or of --messages, is delivered to Kafka by a raw loop (the limit), by Caravan with an exchange"
                        + " for each message and with batches, and by a naive"
                        + " camel-sql route, which gets at most 20,000 messages.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        int batch = bench.size().batch();
        List<Contender> contenders =
                List.of(new RawLoop(batch), new CaravanContender(), CaravanContender.inBatches(), new NaiveRoute());
        for (Contender contender : contenders) {
            int messages = contender.messages(bench.size().messages(MESSAGES));
            drain(bench, contender, Content.of(bench.size(), messages), figures, contender.name());
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "Caravan's rate relative to the limit",
                        0.8,
                        figures.ratioToLimit("caravan").orElseThrow().median()),
                Goal.atLeast(
                        "its rate with batches relative to the limit",
                        0.8,
                        figures.ratioToLimit("batches").orElseThrow().median()),
                Goal.atMost(
                        "processor time of one exchange per message relative to the limit, both warm",
                        2,
                        figures.ratio("caravan", "limit", Figure.WARM_CPU)),
                Goal.atMost("bytes of write-ahead log per message", 5, figures.median("caravan", Figure.WAL)));
    }

    /** Fills an outbox, starts a contender on it, and adds its figures to a row when everything has arrived once, in order. */
    static void drain(Bench bench, Contender contender, Content content, Figures figures, String row) throws Exception {
        try (var run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            Topic topic = run.newTopic();
            outbox.fill(content);
            contender.prepare(outbox);
            long wal = outbox.walBytes();
            CpuSamples samples;
            try (var program = contender.start(run, topic)) {
                samples = new CpuSamples(program);
                try (samples) {
                    contender.awaitDelivered(outbox, program);
                }
                figures.add(row, Figure.CPU, program.cpu().toNanos() / 1000.0 / content.messages());
            }
            wal = outbox.walBytes() - wal;
            DeliveredRecords arrivals =
                    DeliveredRecords.in(topic, content.messages()).requireOnceInOrder(DeliveredRecords.ALL);
            figures.add(row, Figure.RATE, arrivals.rate(DeliveredRecords.ALL));
            figures.add(row, Figure.WARM_RATE, arrivals.warmRate());
            figures.add(row, Figure.WARM_CPU, arrivals.warmCpu(samples));
            figures.add(row, Figure.WAL, wal / (double) content.messages());
        }
    }
}
