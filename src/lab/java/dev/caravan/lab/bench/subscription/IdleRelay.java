package dev.caravan.lab.bench.subscription;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.CountedDatabase;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.scenario.Bench;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Measures the start of a relay, then the relay while nothing is written, then a second relay that stands by. */
final class IdleRelay {
    static final Figure START = Figure.seconds("start");
    static final Figure START_CPU = Figure.seconds("startCpu");
    static final Figure STATEMENTS = new Figure("statements", "statements/s");
    static final Figure RELAY_CPU = new Figure("relayCpu", "% of a core");
    static final Figure SERVER_CPU = new Figure("serverCpu", "% of a core");
    static final Figure BOTH_CPU = new Figure("cpu", "% of a core");
    static final Figure CONNECTIONS = new Figure("connections", "");
    static final Figure THREADS = new Figure("threads", "");

    /** The time after which a relay is idle: it reads less often, and a standby has claimed nothing. */
    static final int REST_SECONDS = 5;
    /** Deliveries after which Java has compiled most of the code. */
    private static final int WARM_UP_DELIVERIES = 50_000;

    private IdleRelay() {}

    static String row(int subscriptions) {
        return subscriptions + " idle";
    }

    static String standby(int subscriptions) {
        return subscriptions + " standby";
    }

    static void measure(Bench bench, int subscriptions, Figures figures) throws Exception {
        String row = row(subscriptions);
        List<String> routes = IntStream.range(0, subscriptions)
                .mapToObj(i -> BenchRoutes.discarding("bench-" + i, 1))
                .toList();
        try (var run = bench.servers().newRun();
                var database = new CountedDatabase(run.outbox().url())) {
            Outbox outbox = run.outbox();
            outbox.fill(Content.of(bench.size(), 1));
            long started = System.nanoTime();
            try (var relay = CaravanContender.relay(run, "relay", routes, database.settings())) {
                outbox.awaitDelivered(subscriptions, relay);
                figures.add(row, START, (System.nanoTime() - started) / 1e9);
                figures.add(row, START_CPU, relay.cpu().toNanos() / 1e9);
                outbox.insert(Content.of(bench.size(), bench.size().messages(WARM_UP_DELIVERIES) / subscriptions + 1));
                outbox.awaitDelivered(subscriptions, relay);
                TimeUnit.SECONDS.sleep(REST_SECONDS);
                figures.add(row, STATEMENTS, idle(bench, outbox, relay, database, row, figures));
                figures.add(row, THREADS, relay.threads());
                figures.add(row, CONNECTIONS, outbox.connectionsOfRelays());
                figures.add(standby(subscriptions), STATEMENTS, ofStandby(bench, run, routes));
            }
        }
    }

    /** Returns statements per second. */
    private static double idle(
            Bench bench, Outbox outbox, Program relay, CountedDatabase database, String row, Figures figures)
            throws Exception {
        int seconds = bench.size().seconds();
        long statements = database.statements();
        long server = outbox.serverCpu().toNanos();
        double ofRelay = relay.cpuDuring(seconds);
        double ofServer = (outbox.serverCpu().toNanos() - server) / 1e7 / seconds;
        statements = database.statements() - statements;
        figures.add(row, RELAY_CPU, ofRelay);
        figures.add(row, SERVER_CPU, ofServer);
        figures.add(row, BOTH_CPU, ofRelay + ofServer);
        return statements / (double) seconds;
    }

    /** The statements per second of a relay whose lanes another relay holds. */
    private static double ofStandby(Bench bench, BenchRun run, List<String> routes) throws Exception {
        try (var database = new CountedDatabase(run.outbox().url());
                var standby = CaravanContender.readyRelay(run, "standby", routes, database.settings())) {
            standby.requireAlive();
            return statementsPerSecond(bench, database);
        }
    }

    /** Counts after a rest. */
    static double statementsPerSecond(Bench bench, CountedDatabase database) throws InterruptedException {
        TimeUnit.SECONDS.sleep(REST_SECONDS);
        long before = database.statements();
        TimeUnit.SECONDS.sleep(bench.size().seconds());
        return (database.statements() - before) / (double) bench.size().seconds();
    }
}
