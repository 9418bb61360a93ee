package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.BenchRoutes;
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

/** The first message of a key fails repeatedly and blocks many messages of its key. Messages of other keys are delivered. */
public final class BlockedKeyScenario extends Scenario {
    private static final int MESSAGES = 300_000;
    private static final int HELD_EVERY = 3;
    private static final Figure OTHERS = new Figure("othersRate", "messages/s");
    private static final Figure OTHERS_RATIO = Figure.ratio("othersRatio");
    private static final Figure RELEASED = new Figure("releasedRate", "messages/s");

    public BlockedKeyScenario() {
        super(
                "blocked-key",
                "A third of a backlog (300,000) has one key whose first message fails. The rate of the other keys is compared"
                        + " with a run of the same round in which it does not fail. When all of them are delivered, the message"
                        + " succeeds, and the rate of the messages that it blocked is measured.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Content content =
                Content.of(bench.size(), bench.size().messages(MESSAGES)).withHeldEvery(HELD_EVERY);
        DeliveredRecords free = run(bench, content, true);
        DeliveredRecords blocked = run(bench, content, false);
        double others = blocked.rate(number -> !content.isHeld(number));
        double othersWhenFree = free.rate(number -> !content.isHeld(number));
        figures.add("failure-free", OTHERS, othersWhenFree);
        figures.add("caravan", OTHERS, others);
        figures.add("caravan", OTHERS_RATIO, others / othersWhenFree);
        figures.add("caravan", RELEASED, blocked.rate(content::isHeld));
    }

    private static DeliveredRecords run(Bench bench, Content content, boolean open) throws Exception {
        try (var run = bench.servers().newRun();
                var gate = new GatedServer(open)) {
            Outbox outbox = run.outbox();
            Topic topic = run.newTopic();
            outbox.fill(content);
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            try (var relay = CaravanContender.relay(run, "relay", routes, gate.settings())) {
                outbox.awaitPassed(1, relay);
                gate.open();
                outbox.awaitDelivered(1, relay);
            }
            return DeliveredRecords.in(topic, content.messages()).requireOnceInOrder(DeliveredRecords.ALL);
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "rate of the other keys, relative to the failure-free one",
                        0.9,
                        figures.median("caravan", OTHERS_RATIO)),
                Goal.atLeast("released messages per second", 2_000, figures.median("caravan", RELEASED)));
    }
}
