package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Three subscriptions deliver the same messages to three topics. */
public final class FanOut implements Scenario {
    private static final int MESSAGES = 200_000;
    private static final Figure TOTAL = new Figure("totalRate", "messages/s");

    @Override
    public String name() {
        return "fan-out";
    }

    @Override
    public String description() {
        return "A backlog (200,000) is committed while a relay with one subscription is running, and again while a relay with"
                + " three subscriptions to three topics is running. The scenario compares deliveries per second of all"
                + " subscriptions, and processor time per delivery.";
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        run(bench, 1, "single", figures);
        run(bench, 3, "caravan", figures);
    }

    private static void run(Bench bench, int subscriptions, String row, Figures figures) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        try (var run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            List<Topic> topics = new ArrayList<>();
            List<String> routes = new ArrayList<>();
            for (int i = 1; i <= subscriptions; i++) {
                topics.add(run.newTopic());
                routes.add(BenchRoutes.toKafka("bench-" + i, topics.get(i - 1)));
            }
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of())) {
                outbox.await(
                        "the relay has started", relay, () -> outbox.count("outbox_subscription") == subscriptions);
                outbox.insert(content);
                long before = relay.cpu().toNanos();
                outbox.awaitDelivered(subscriptions, relay);
                double nanos = relay.cpu().toNanos() - before;
                add(topics, content.messages(), nanos, row, figures);
            }
        }
    }

    private static void add(List<Topic> topics, int messages, double nanos, String row, Figures figures) {
        double slowest = Double.MAX_VALUE;
        long first = Long.MAX_VALUE;
        long last = 0;
        for (Topic topic : topics) {
            DeliveredRecords arrivals = DeliveredRecords.in(topic, messages).requireOnceInOrder(DeliveredRecords.ALL);
            long[] times = arrivals.times(DeliveredRecords.ALL);
            slowest = Math.min(slowest, arrivals.rate(DeliveredRecords.ALL));
            first = Math.min(first, times[0]);
            last = Math.max(last, times[times.length - 1]);
        }
        double deliveries = (double) messages * topics.size();
        figures.add(row, Figure.RATE, slowest);
        figures.add(row, TOTAL, deliveries * 1000 / Math.max(1, last - first));
        figures.add(row, Figure.CPU, nanos / 1000 / deliveries);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "deliveries per second of all three, relative to the single one",
                        0.9,
                        figures.ratio("caravan", "single", TOTAL)),
                Goal.atMost(
                        "processor time per delivery, relative to the single one",
                        1.1,
                        figures.ratio("caravan", "single", Figure.CPU)));
    }
}
