package dev.caravan.lab.bench.subscription;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.Pods;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.run.CountedDatabase;
import dev.caravan.lab.bench.scenario.Bench;

/** Measures the statements of relays that share the lanes of one subscription while nothing is written. */
final class SharedLanes {
    static final String ONE = "1 relay";
    static final String EIGHT = "8 relays";
    private static final int LANES = 24;

    private SharedLanes() {}

    static void measure(Bench bench, Figures figures) throws Exception {
        try (var run = bench.servers().newRun();
                var database = new CountedDatabase(run.outbox().url());
                var pods = new Pods(run, BenchRoutes.discarding("bench", LANES), database.settings())) {
            measure(bench, pods, 1, database, ONE, figures);
            measure(bench, pods, 8, database, EIGHT, figures);
        }
    }

    private static void measure(
            Bench bench, Pods pods, int relays, CountedDatabase database, String row, Figures figures)
            throws Exception {
        pods.scaleTo(relays);
        pods.awaitShared(LANES);
        figures.add(row, IdleRelay.STATEMENTS, IdleRelay.statementsPerSecond(bench, database));
    }
}
