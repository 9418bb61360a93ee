package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Topic;
import java.util.List;
import java.util.Map;

/** Delivers a backlog with a heap of 256 MB. The relay ends when that is not enough. */
final class SmallHeap {
    private SmallHeap() {}

    static void drain(Bench bench, Content content, Figures figures) throws Exception {
        try (var run = bench.servers().newRun()) {
            Topic topic = run.newTopic();
            run.outbox().fill(content);
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of(), "-Xmx256m")) {
                run.outbox().awaitDelivered(1, relay);
                figures.add("caravan", Figure.CPU, relay.cpu().toNanos() / 1000.0 / content.messages());
                relay.peakMemory().ifPresent(bytes -> figures.add("caravan", Figure.MEMORY, bytes / 1e6));
            }
            DeliveredRecords arrivals =
                    DeliveredRecords.in(topic, content.messages()).requireOnceInOrder(DeliveredRecords.ALL);
            figures.add("caravan", Figure.RATE, arrivals.rate(DeliveredRecords.ALL));
            figures.add("caravan", Figure.WARM_RATE, arrivals.warmRate());
        }
    }
}
