package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Charts;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import java.awt.image.BufferedImage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Checks that latency, memory and tables do not grow in a long run at a steady rate with rollbacks, pruning and a long transaction. */
public final class Soak extends Scenario {
    private static final int RATE = 2_000;
    private static final int ROLLBACK_EVERY = 20;
    /** Number of rows in the report. */
    private static final int PARTS = 6;
    /** The part, counted from 0, in which another transaction is open. */
    private static final int PART_WITH_TRANSACTION = 2;

    private static final int SAMPLES_OF_A_PART = 10;

    private static final Figure RATE_OF_PART = new Figure("arrived", "messages/s");
    private static final Figure P50 = new Figure("p50", "ms");
    private static final Figure P99 = new Figure("p99", "ms");
    private static final Figure OUTBOX = new Figure("outbox", "MB");
    private static final Figure PROGRESS = new Figure("progressTable", "kB");
    private static final Figure MEMORY = new Figure("memory", "MB");

    private static final String SIZE_OF_OUTBOX = "select coalesce(sum(pg_total_relation_size(inhrelid)), 0)"
            + " from pg_inherits where inhparent = 'outbox'::regclass";
    private static final String SIZE_OF_PROGRESS = "select pg_total_relation_size('outbox_subscription')";

    /** A sample of the servers and the relay; sizes in bytes, the time in milliseconds of the clock. */
    private record Sample(long time, long outbox, long progress, long wal, long memory) {}

    public Soak() {
        super(
                "soak",
                "Messages are committed one by one, 2,000 per second, for --soak; one transaction in 20 is rolled back first."
                        + " The retention is a sixth of that time, and older partitions are pruned. In the third sixth, another"
                        + " transaction that has written to another table is open. The relay has a heap of 256 MB. Memory is that of"
                        + " its process, latency is the time from commit to append, and the write-ahead log includes that of the"
                        + " writers.");
    }

    @Override
    public boolean isPartOfAll() {
        return false;
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Duration part = bench.size().soak().dividedBy(PARTS);
        int messages = Math.toIntExact(RATE * bench.size().soak().toSeconds());
        try (var run = bench.servers().newRun();
                var writer = new PacedWriter(run.outbox(), bench.size(), 1, messages, RATE, ROLLBACK_EVERY)) {
            Topic topic = run.newTopic();
            List<String> routes = List.of(BenchRoutes.toKafka("bench", topic));
            Map<String, String> settings = Map.of("caravan.retention", Math.max(1, part.toSeconds()) + "s");
            try (var relay = CaravanContender.relay(run, "relay", routes, settings, "-Xmx256m")) {
                writer.start();
                List<Sample> samples = watch(bench, run.outbox(), relay, part);
                writer.awaitEnd();
                run.outbox().awaitDelivered(1, relay);
                DeliveredRecords arrivals =
                        DeliveredRecords.in(topic, messages).requireOnceInOrder(DeliveredRecords.ALL);
                for (int i = 0; i < PARTS; i++) {
                    Sample first = samples.get(i * SAMPLES_OF_A_PART);
                    List<Sample> ofPart = samples.subList(i * SAMPLES_OF_A_PART + 1, (i + 1) * SAMPLES_OF_A_PART + 1);
                    add(figures, row(i), first, ofPart, new Window(arrivals, writer, messages));
                }
                figures.addPicture("soak", picture(samples, new Window(arrivals, writer, messages)));
            }
        }
    }

    private static String row(int part) {
        return "part " + (part + 1) + (part == PART_WITH_TRANSACTION ? ", transaction" : "");
    }

    /** The first sample, and {@link #SAMPLES_OF_A_PART} of each part. */
    private static List<Sample> watch(Bench bench, Outbox outbox, Program relay, Duration part) throws Exception {
        List<Sample> samples = new ArrayList<>();
        long began = System.nanoTime();
        samples.add(sample(outbox, relay));
        for (int i = 0; i < PARTS; i++) {
            bench.progress().accept("  " + row(i) + " of " + PARTS);
            try (var other = LongTransaction.otherTransaction(outbox, i == PART_WITH_TRANSACTION)) {
                for (int j = 0; j < SAMPLES_OF_A_PART; j++) {
                    long due = began + part.toNanos() * samples.size() / SAMPLES_OF_A_PART;
                    TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                    relay.requireAlive();
                    samples.add(sample(outbox, relay));
                }
            }
        }
        return samples;
    }

    private static Sample sample(Outbox outbox, Program relay) throws Exception {
        return new Sample(
                System.currentTimeMillis(),
                Long.parseLong(outbox.text(SIZE_OF_OUTBOX)),
                Long.parseLong(outbox.text(SIZE_OF_PROGRESS)),
                outbox.walBytes(),
                relay.memory());
    }

    /** The messages of one part of the run. */
    private record Window(DeliveredRecords arrivals, PacedWriter writer, int messages) {
        /** From commit to arrival, in milliseconds, sorted. */
        long[] latencies(long from, long to) {
            long[] latencies = new long[messages];
            int count = 0;
            for (int number = 1; number <= messages; number++) {
                long committed = writer.committedAt(number);
                if (committed >= from && committed < to) {
                    latencies[count++] = Math.max(0, arrivals.time(number) - committed);
                }
            }
            Arrays.sort(latencies, 0, count);
            return Arrays.copyOf(latencies, count);
        }

        double rate(long from, long to) {
            return arrivals.times(number -> arrivals.time(number) >= from && arrivals.time(number) < to).length
                    * 1000.0
                    / (to - from);
        }
    }

    private static void add(Figures figures, String row, Sample first, List<Sample> samples, Window window) {
        Sample last = samples.get(samples.size() - 1);
        long[] latencies = window.latencies(first.time(), last.time());
        figures.add(row, RATE_OF_PART, window.rate(first.time(), last.time()));
        figures.add(row, P50, Latency.quantile(latencies, 50));
        figures.add(row, P99, Latency.quantile(latencies, 99));
        figures.add(row, OUTBOX, largest(samples.stream().mapToLong(Sample::outbox)) / 1e6);
        figures.add(row, PROGRESS, largest(samples.stream().mapToLong(Sample::progress)) / 1e3);
        figures.add(row, MEMORY, largest(samples.stream().mapToLong(Sample::memory)) / 1e6);
        figures.add(row, Figure.WAL, (last.wal() - first.wal()) / (double) latencies.length);
    }

    private static double largest(java.util.stream.LongStream values) {
        return values.max().orElseThrow();
    }

    private static BufferedImage picture(List<Sample> samples, Window window) {
        int count = samples.size() - 1;
        double[] minutes = new double[count];
        double[] rate = new double[count];
        double[] p50 = new double[count];
        double[] p99 = new double[count];
        double[] outbox = new double[count];
        double[] memory = new double[count];
        for (int i = 0; i < count; i++) {
            Sample from = samples.get(i);
            Sample to = samples.get(i + 1);
            long[] latencies = window.latencies(from.time(), to.time());
            minutes[i] = (to.time() - samples.get(0).time()) / 60e3;
            rate[i] = window.rate(from.time(), to.time());
            p50[i] = Latency.quantile(latencies, 50);
            p99[i] = Latency.quantile(latencies, 99);
            outbox[i] = to.outbox() / 1e6;
            memory[i] = to.memory() / 1e6;
        }
        return new Charts(minutes, "minutes; another transaction is open during the third sixth")
                .add("messages per second", Map.of("arrived", rate))
                .add("latency, ms", Map.of("p50", p50, "p99", p99))
                .add("outbox with indexes, MB", Map.of("outbox", outbox))
                .add("memory of the relay, MB", Map.of("memory", memory))
                .draw();
    }

    @Override
    public List<Goal> goals(Figures figures) {
        List<Goal> goals = new ArrayList<>();
        double[] undisturbed = new double[PARTS - 2]; // Java warms up in the first part
        int i = 0;
        double least = RATE;
        for (int part = 0; part < PARTS; part++) {
            least = Math.min(least, figures.median(row(part), RATE_OF_PART));
            if (part > 0 && part != PART_WITH_TRANSACTION) {
                undisturbed[i++] = figures.median(row(part), P99);
            }
        }
        goals.add(Goal.atLeast("messages a second in each part", 0.98 * RATE, least));
        goals.add(Goal.atMost(
                "p99 with the transaction, relative to the usual one",
                1.2,
                figures.median(row(PART_WITH_TRANSACTION), P99)
                        / Math.max(1, Arrays.stream(undisturbed).average().orElseThrow())));
        goals.add(Goal.atMost(
                "memory in the last part, relative to the second",
                1.1,
                figures.median(row(PARTS - 1), MEMORY) / figures.median(row(1), MEMORY)));
        goals.add(Goal.atMost(
                "outbox in the last part, relative to the fourth",
                1.1,
                figures.median(row(PARTS - 1), OUTBOX) / figures.median(row(3), OUTBOX)));
        goals.add(Goal.atMost("kB of the progress table", 200, figures.median(row(PARTS - 1), PROGRESS)));
        return goals;
    }
}
