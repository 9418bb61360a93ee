package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.servers.FreePorts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Checks that open console pages do not slow down a relay. The rate varies more between runs than the pages cost. The processor time of
 * relay and server while there is nothing to deliver shows the cost of the pages even on a busy machine.
 */
public final class OpenConsole extends Scenario {
    private static final int MESSAGES = 500_000;
    /** Time before the backlog in which Java compiles the code that answers the console. */
    private static final int SECONDS_BEFORE = 15;

    private static final Figure IDLE_RELAY = new Figure("idleCpu", "% of a core");
    private static final Figure IDLE_SERVER = new Figure("idleServerCpu", "% of a core");

    /** Changes after each round, because the second drain of a round finds the server's files in memory. */
    private boolean watchedFirst;

    public OpenConsole() {
        super(
                "console",
                "A relay is running for 15 seconds when a backlog (500,000) is committed, with and without three open pages of"
                        + " its console: overview, the subscription, and dead letters."
                        + " Then, for --seconds, there is nothing to deliver.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        if (watchedFirst) {
            drain(bench, true, "caravan", figures);
            drain(bench, false, "unwatched", figures);
        } else {
            drain(bench, false, "unwatched", figures);
            drain(bench, true, "caravan", figures);
        }
        watchedFirst = !watchedFirst;
    }

    private static void drain(Bench bench, boolean watched, String row, Figures figures) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        int port = FreePorts.one();
        try (var run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            Topic topic = run.newTopic();
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            try (var relay = CaravanContender.relay(
                            run, "relay", routes, Map.of("camel.management.port", Integer.toString(port)));
                    var pages = watched ? new ConsolePages(port) : null) {
                TimeUnit.SECONDS.sleep(SECONDS_BEFORE);
                outbox.insert(content);
                long before = relay.cpu().toNanos();
                outbox.awaitDelivered(1, relay);
                figures.add(row, Figure.CPU, (relay.cpu().toNanos() - before) / 1000.0 / content.messages());
                addIdle(bench.size().seconds(), outbox, relay, row, figures);
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

    private static void addIdle(int seconds, Outbox outbox, Program relay, String row, Figures figures)
            throws Exception {
        Duration before = outbox.serverCpu();
        figures.add(row, IDLE_RELAY, relay.cpuDuring(seconds));
        figures.add(row, IDLE_SERVER, outbox.serverCpu().minus(before).toNanos() / 1e7 / seconds);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "rate, relative to the rate without console",
                        0.97,
                        figures.ratio("caravan", "unwatched", Figure.RATE)),
                Goal.atMost(
                        "processor time of relay and server for the pages, in percent of a core",
                        3,
                        idle("caravan", figures) - idle("unwatched", figures)));
    }

    private static double idle(String row, Figures figures) {
        return figures.median(row, IDLE_RELAY) + figures.median(row, IDLE_SERVER);
    }
}
