package dev.caravan.lab.bench;

import dev.caravan.lab.servers.FreePorts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Checks that open console pages slow nothing down. */
final class OpenConsole implements Scenario {
    private static final int MESSAGES = 500_000;
    /** Time before the backlog in which Java compiles the code that answers the console. */
    private static final int SECONDS_BEFORE = 15;

    @Override
    public String name() {
        return "console";
    }

    @Override
    public String description() {
        return "A relay is running for 15 seconds when a backlog (500,000) is committed, with and without three open pages of"
                + " its console: overview, the subscription, and dead letters.";
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        drain(bench, false, "unwatched", figures);
        drain(bench, true, "caravan", figures);
    }

    private static void drain(Bench bench, boolean watched, String row, Figures figures) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        int port = FreePorts.one();
        try (var ground = bench.servers().newGround()) {
            Outbox outbox = ground.outbox();
            Topic topic = ground.newTopic();
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            try (var relay = CaravanContender.relay(
                            ground, "relay", routes, Map.of("camel.management.port", Integer.toString(port)));
                    var pages = watched ? new ConsolePages(port) : null) {
                TimeUnit.SECONDS.sleep(SECONDS_BEFORE);
                outbox.insert(content);
                long before = relay.cpu().toNanos();
                outbox.awaitDelivered(1, relay);
                figures.add(row, Figure.CPU, (relay.cpu().toNanos() - before) / 1000.0 / content.messages());
                if (watched) {
                    pages.requireAnswers();
                }
            }
            figures.add(
                    row,
                    Figure.RATE,
                    DeliveredRecords.in(topic, content.messages())
                            .requireOnceInOrder(DeliveredRecords.ALL)
                            .rate(DeliveredRecords.ALL));
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atLeast(
                "rate, relative to the rate without console",
                0.97,
                figures.of("caravan", Figure.RATE)
                        .dividedBy(figures.of("unwatched", Figure.RATE))
                        .median()));
    }
}
