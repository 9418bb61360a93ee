package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.servers.TemporaryFolder;
import java.util.List;
import java.util.Map;

/** Measures the time from the start of a relay process to its first delivery. */
public final class ColdStart extends Scenario {
    private static final Figure FIRST = Figure.seconds("toFirstDelivery");
    private static final String FIRST_START = "first start";
    private static final String CARAVAN = "caravan";

    public ColdStart() {
        super(
                "start",
                "One message waits when the relay process starts. The scenario measures the time until the broker has appended"
                        + " it: at the first start after a build, and at a later start, which uses the class archive that the first"
                        + " start has written.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        try (var folder = new TemporaryFolder("caravan-bench-")) {
            String archive = folder.path().resolve("classes.jsa").toString();
            figures.add(FIRST_START, FIRST, seconds(bench, "-XX:ArchiveClassesAtExit=" + archive));
            figures.add(CARAVAN, FIRST, seconds(bench, "-XX:SharedArchiveFile=" + archive));
        }
    }

    private static double seconds(Bench bench, String archiving) throws Exception {
        try (var run = bench.servers().newRun()) {
            Topic topic = run.newTopic();
            run.outbox().fill(Content.of(bench.size(), 1));
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            long started = System.currentTimeMillis();
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of(), archiving, "-Xlog:cds*=off")) {
                run.outbox().awaitDelivered(1, relay);
            }
            DeliveredRecords arrivals = DeliveredRecords.in(topic, 1).requireOnceInOrder(DeliveredRecords.ALL);
            return (arrivals.time(1) - started) / 1e3;
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(Goal.atMost("seconds to the first delivery", 3, figures.max(CARAVAN, FIRST)));
    }
}
