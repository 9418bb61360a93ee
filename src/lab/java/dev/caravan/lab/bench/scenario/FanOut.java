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
import java.util.function.IntPredicate;

/** Three subscriptions deliver the same messages to three topics. */
public final class FanOut extends Scenario {
    private static final int MESSAGES = 200_000;
    private static final int STEP = 1_000;
    private static final Figure TOTAL = new Figure("totalRate", "messages/s");
    private static final Figure TOTAL_OF_STEPS = new Figure("totalRateOfSteps", "messages/s");

    public FanOut() {
        super(
                "fan-out",
                "A backlog (200,000) is committed while a relay with one subscription is running, and again while a relay with"
                        + " three subscriptions to three topics is running. Then as many messages are committed in transactions of 1,000, faster"
                        + " than they can be delivered. The scenario compares deliveries per second of all subscriptions, and processor"
                        + " time per delivery.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        run(bench, 1, "single", figures);
        run(bench, 3, "caravan", figures);
    }

    private static void run(Bench bench, int subscriptions, String row, Figures figures) throws Exception {
        int messages = bench.size().messages(MESSAGES);
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
                outbox.insert(Content.of(bench.size(), messages));
                long before = relay.cpu().toNanos();
                outbox.awaitDelivered(subscriptions, relay);
                double nanos = relay.cpu().toNanos() - before;
                outbox.insert(Content.of(bench.size(), 2 * messages), messages + 1, STEP);
                outbox.awaitDelivered(subscriptions, relay);
                add(topics, messages, nanos, row, figures);
            }
        }
    }

    private static void add(List<Topic> topics, int messages, double nanos, String row, Figures figures) {
        double slowest = Double.MAX_VALUE;
        List<DeliveredRecords> all = new ArrayList<>();
        for (Topic topic : topics) {
            DeliveredRecords arrivals =
                    DeliveredRecords.in(topic, 2 * messages).requireOnceInOrder(DeliveredRecords.ALL);
            all.add(arrivals);
            slowest = Math.min(slowest, arrivals.rate(number -> number <= messages));
        }
        figures.add(row, Figure.RATE, slowest);
        figures.add(row, TOTAL, total(all, number -> number <= messages));
        figures.add(row, TOTAL_OF_STEPS, total(all, number -> number > messages));
        figures.add(row, Figure.CPU, nanos / 1000 / messages / topics.size());
    }

    /** Deliveries per second of all topics, between the first and the last of some of the messages. */
    private static double total(List<DeliveredRecords> topics, IntPredicate which) {
        long first = Long.MAX_VALUE;
        long last = 0;
        long deliveries = 0;
        for (DeliveredRecords arrivals : topics) {
            long[] times = arrivals.times(which);
            deliveries += times.length;
            first = Math.min(first, times[0]);
            last = Math.max(last, times[times.length - 1]);
        }
        return deliveries * 1000.0 / Math.max(1, last - first);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "deliveries per second of all three, relative to the single one",
                        1.8,
                        figures.ratio("caravan", "single", TOTAL)),
                Goal.atLeast(
                        "the same of messages that are committed in steps",
                        1.8,
                        figures.ratio("caravan", "single", TOTAL_OF_STEPS)),
                Goal.atMost(
                        "processor time per delivery, relative to the single one",
                        1.1,
                        figures.ratio("caravan", "single", Figure.CPU)));
    }
}
