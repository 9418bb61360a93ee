package dev.caravan.lab.bench.failure;

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
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import dev.caravan.lab.servers.StoppableKafka;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A destination is unavailable while many messages are written. Another subscription continues. */
public final class OutageScenario extends Scenario {
    private static final int MESSAGES = 100_000;
    private static final long CHECK_EVERY_MILLIS = 500;
    private static final Figure OTHER = new Figure("otherRate", "messages/s");
    private static final Figure OTHER_RATIO = Figure.ratio("otherRatio");
    private static final Figure RETURN = Figure.seconds("returnToFirstDelivery");
    private static final Figure RETRIES = new Figure("mostInRetry", "messages");

    public OutageScenario() {
        super(
                "outage",
                "A Kafka becomes unavailable, a backlog (100,000) is written, and the Kafka is available again after --outage. A"
                        + " second subscription delivers to another Kafka meanwhile. The heap is 256 MB. The rate of the other"
                        + " subscription is compared with a run of the same round without the outage.");
    }

    private record Outcome(double affected, double other, double seconds, double mostInRetry, OptionalLong memory) {}

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Outcome free = run(bench, Duration.ZERO);
        Outcome outage = run(bench, bench.size().outage());
        figures.add("no outage", Figure.RATE, free.affected);
        figures.add("no outage", OTHER, free.other);
        figures.add("caravan", Figure.RATE, outage.affected);
        figures.add("caravan", OTHER, outage.other);
        figures.add("caravan", OTHER_RATIO, outage.other / free.other);
        figures.add("caravan", RETURN, outage.seconds);
        figures.add("caravan", RETRIES, outage.mostInRetry);
        outage.memory.ifPresent(bytes -> figures.add("caravan", Figure.MEMORY, bytes / 1e6));
    }

    private static Outcome run(Bench bench, Duration outage) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        try (var run = bench.servers().newRun();
                var kafka = StoppableKafka.startNew(
                        Files.createDirectory(run.folder().resolve("kafka")))) {
            Outbox outbox = run.outbox();
            Topic affected = Topic.create(kafka.brokers(), "affected");
            Topic other = run.newTopic();
            List<String> routes =
                    List.of(BenchRoutes.toKafka("affected", affected), BenchRoutes.toKafka("other", other));
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of(), "-Xmx256m")) {
                outbox.await("both subscriptions exist", relay, () -> outbox.count("outbox_subscription") == 2);
                if (!outage.isZero()) {
                    kafka.stop();
                }
                outbox.insert(content);
                long mostInRetry = watch(outbox, relay, outage);
                kafka.start();
                long back = System.currentTimeMillis();
                outbox.awaitDelivered(2, relay);
                OptionalLong memory = relay.peakMemory();
                DeliveredRecords late =
                        DeliveredRecords.in(affected, content.messages()).requireOnceInOrder(DeliveredRecords.ALL);
                DeliveredRecords meanwhile =
                        DeliveredRecords.in(other, content.messages()).requireOnceInOrder(DeliveredRecords.ALL);
                return new Outcome(
                        late.rate(DeliveredRecords.ALL),
                        meanwhile.rate(DeliveredRecords.ALL),
                        Math.max(0, late.times(DeliveredRecords.ALL)[0] - back) / 1e3,
                        mostInRetry,
                        memory);
            }
        }
    }

    /** The largest number of messages in outbox_retry during the outage. */
    private static long watch(Outbox outbox, Program relay, Duration outage) throws Exception {
        long most = 0;
        for (long end = System.nanoTime() + outage.toNanos(); System.nanoTime() < end; ) {
            relay.requireAlive();
            most = Math.max(most, outbox.count("outbox_retry"));
            TimeUnit.MILLISECONDS.sleep(CHECK_EVERY_MILLIS);
        }
        return most;
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost("messages in outbox_retry", 0, figures.max("caravan", RETRIES)),
                Goal.atLeast(
                        "rate of the other subscription, relative to no outage",
                        0.9,
                        figures.median("caravan", OTHER_RATIO)),
                Goal.atMost("seconds from the return to the first delivery", 31, figures.max("caravan", RETURN)),
                Goal.atLeast(
                        "rate after the outage, relative to no outage",
                        0.9,
                        figures.ratio("caravan", "no outage", Figure.RATE)));
    }
}
