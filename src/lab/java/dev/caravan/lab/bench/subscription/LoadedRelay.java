package dev.caravan.lab.bench.subscription;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Latency;
import dev.caravan.lab.servers.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Measures a relay while messages are written at a steady rate, of which each subscription wants one in N, or all. */
final class LoadedRelay {
    static final int RATE = 500;
    static final Figure ROWS = new Figure("rowsPerMessage", "");
    private static final Figure TRANSACTIONS = new Figure("transactionsPerMessage", "");
    private static final Figure RELAY_CPU = new Figure("relayCpuPerMessage", "µs");
    private static final Figure SERVER_CPU = new Figure("serverCpuPerMessage", "µs");
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private LoadedRelay() {}

    static String oneIn(int subscriptions) {
        return "1 in " + subscriptions;
    }

    static String allOf(int subscriptions) {
        return "all of " + subscriptions;
    }

    static void oneIn(Bench bench, int subscriptions, Figures figures) throws Exception {
        try (var run = bench.servers().newRun()) {
            Topic topic = run.newTopic();
            List<String> routes = new ArrayList<>();
            for (int i = 0; i < subscriptions; i++) {
                routes.add(BenchRoutes.toKafka("bench-" + i, topic, PacedWriter.type(i)));
            }
            measure(bench, run, routes, List.of(topic), subscriptions, oneIn(subscriptions), figures);
        }
    }

    static void allOf(Bench bench, int subscriptions, Figures figures) throws Exception {
        try (var run = bench.servers().newRun()) {
            List<Topic> topics = new ArrayList<>();
            List<String> routes = new ArrayList<>();
            for (int i = 0; i < subscriptions; i++) {
                topics.add(run.newTopic());
                routes.add(BenchRoutes.toKafka("bench-" + i, topics.get(i)));
            }
            measure(bench, run, routes, topics, 1, allOf(subscriptions), figures);
        }
    }

    /** Begins when the messages of a warm-up are delivered, and ends when all are, so that costs do not depend on other programs. */
    private static void measure(
            Bench bench, BenchRun run, List<String> routes, List<Topic> topics, int types, String row, Figures figures)
            throws Exception {
        Size size = bench.size();
        Outbox outbox = run.outbox();
        int warmUp = RATE * warmUpSeconds(size);
        int messages = RATE * size.seconds();
        try (var first = new PacedWriter(outbox, size, 1, warmUp, RATE).ofTypes(types);
                var writer = new PacedWriter(outbox, size, warmUp + 1, warmUp + messages, RATE).ofTypes(types)) {
            try (var relay = CaravanContender.readyRelay(run, "relay", routes, Map.of())) {
                write(first, outbox, relay, routes.size());
                double transactions = transactions(outbox);
                double ofRelay = relay.cpu().toNanos();
                double ofServer = outbox.serverCpu().toNanos();
                write(writer, outbox, relay, routes.size());
                figures.add(row, RELAY_CPU, (relay.cpu().toNanos() - ofRelay) / 1e3 / messages);
                figures.add(row, SERVER_CPU, (outbox.serverCpu().toNanos() - ofServer) / 1e3 / messages);
                figures.add(row, IdleRelay.THREADS, relay.threads());
                figures.add(row, TRANSACTIONS, (transactions(outbox) - transactions) / messages - 1);
            }
            figures.add(row, ROWS, rowsRead(outbox) / (double) (warmUp + messages));
            long[] millis = latencies(topics, writer, warmUp + 1, warmUp + messages);
            figures.add(row, Figure.latency(50, RATE), Latency.quantile(millis, 50));
            figures.add(row, Figure.latency(99, RATE), Latency.quantile(millis, 99));
        }
    }

    private static void write(PacedWriter writer, Outbox outbox, Program relay, int subscriptions) throws Exception {
        writer.start();
        writer.awaitEnd();
        outbox.awaitDelivered(subscriptions, relay);
    }

    /** The time before a measurement in which messages are written already. */
    static int warmUpSeconds(Size size) {
        return Math.min(size.seconds(), 10);
    }

    /** Committed so far, also those of the writer. */
    private static long transactions(Outbox outbox) throws Exception {
        return Long.parseLong(
                outbox.text("select xact_commit from pg_stat_database where datname = current_database()"));
    }

    private static long rowsRead(Outbox outbox) throws Exception {
        Await.until("the sessions of the relay have ended", LIMIT, () -> outbox.connectionsOfRelays() == 0);
        return Long.parseLong(outbox.text(BenchSql.read("rows_read")));
    }

    /** The latencies of the messages from first to last in all topics in milliseconds, sorted. */
    private static long[] latencies(List<Topic> topics, PacedWriter writer, int first, int last) {
        LongStream all = LongStream.empty();
        for (Topic topic : topics) {
            var arrivals = DeliveredRecords.in(topic, last).requireOnceInOrder(DeliveredRecords.ALL);
            all = LongStream.concat(all, LongStream.of(Latency.sorted(writer, arrivals, first, last)));
        }
        return all.sorted().toArray();
    }
}
