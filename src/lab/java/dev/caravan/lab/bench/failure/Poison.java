package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.util.List;

/** Measures the effect of messages that the destination never accepts. */
public final class Poison extends Scenario {
    private static final int MESSAGES = 100_000;
    private static final Figure ONE = Figure.ratio("ratioOnePoison");
    private static final Figure PERCENT = Figure.ratio("ratioOnePercentPoison");

    public Poison() {
        super(
                "poison",
                "A backlog (100,000) is delivered to Kafka without failures, with one poison message, and with one percent of"
                        + " poison messages. The rates of one round are compared. Every poison message must become a dead letter.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Content clean = Content.of(bench.size(), bench.size().messages(MESSAGES));
        double free = rate(bench, clean);
        double one = rate(bench, clean.withPoisonEvery(clean.messages()));
        double percent = rate(bench, clean.withPoisonEvery(100));
        figures.add("failure-free", Figure.RATE, free);
        figures.add("one poison", Figure.RATE, one);
        figures.add("one percent", Figure.RATE, percent);
        figures.add("caravan", ONE, one / free);
        figures.add("caravan", PERCENT, percent / free);
    }

    private static double rate(Bench bench, Content content) throws Exception {
        try (var run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            Topic topic = run.newTopic();
            outbox.fill(content);
            CaravanContender caravan = new CaravanContender();
            try (var relay = caravan.start(run, topic)) {
                caravan.awaitDelivered(outbox, relay);
            }
            DeliveredRecords arrivals = DeliveredRecords.in(topic, content.messages())
                    .requireOnceInOrder(number -> !content.isPoison(number));
            int poison = content.messages() - arrivals.times(DeliveredRecords.ALL).length;
            if (outbox.count("outbox_dead_letter") != poison) {
                throw new IllegalStateException(
                        outbox.count("outbox_dead_letter") + " dead letters, expected " + poison);
            }
            return arrivals.rate(DeliveredRecords.ALL);
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "rate with one poison message, relative to the failure-free one",
                        0.9,
                        figures.median("caravan", ONE)),
                Goal.atLeast(
                        "rate with one percent of poison, relative to the failure-free one",
                        0.5,
                        figures.median("caravan", PERCENT)));
    }
}
