package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.contender.Contender;
import dev.caravan.lab.bench.contender.RawLoop;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.run.Topic;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Measures the time from commit to append in the broker at steady rates, and the processor time of an idle relay. */
public final class Latency extends Scenario {
    private static final int SLOW = 500;
    private static final int FAST = 2_000;
    /** The time after which a relay is idle: it reads less often, and Java has compiled its code. */
    private static final int REST_SECONDS = 5;

    private static final Figure IDLE = new Figure("idleCpu", "% of a core");

    public Latency() {
        super(
                "latency",
                "Messages are committed one by one, 500 and 2,000 per second, for --seconds after a warm-up of the same length"
                        + " (at most 10 s). The scenario measures the time from the return of the commit to the append in the broker,"
                        + " and then, after 5 s, the processor time of the relay while nothing is written.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        int batch = bench.size().batch();
        for (int rate : new int[] {SLOW, FAST}) {
            for (Contender contender : List.of(new RawLoop(batch), new CaravanContender())) {
                try (var run = bench.servers().newRun()) {
                    Topic topic = run.newTopic();
                    contender.prepare(run.outbox());
                    try (var program = contender.start(run, topic)) {
                        long[] millis = measure(bench.size(), run.outbox(), topic, contender, program, rate);
                        figures.add(contender.name(), Figure.latency(50, rate), quantile(millis, 50));
                        figures.add(contender.name(), Figure.latency(99, rate), quantile(millis, 99));
                        if (rate == FAST) {
                            TimeUnit.SECONDS.sleep(REST_SECONDS);
                            figures.add(
                                    contender.name(),
                                    IDLE,
                                    program.cpuDuring(bench.size().seconds()));
                        }
                    }
                }
            }
        }
    }

    /** The latencies of the counted messages in milliseconds, sorted. */
    static long[] measure(Size size, Outbox outbox, Topic topic, Contender contender, Program program, int rate)
            throws Exception {
        int warmUp = rate * Math.min(size.seconds(), 10);
        int messages = warmUp + rate * size.seconds();
        outbox.insert(Content.of(size, 1));
        contender.awaitDelivered(outbox, program); // the relay has started
        try (var writer = new PacedWriter(outbox, size, 2, messages, rate)) {
            writer.start();
            writer.awaitEnd();
            contender.awaitDelivered(outbox, program);
            DeliveredRecords arrivals = DeliveredRecords.in(topic, messages).requireOnceInOrder(DeliveredRecords.ALL);
            return sorted(writer, arrivals, warmUp + 1, messages);
        }
    }

    /** The times from commit to append of the messages from first to last in milliseconds, sorted. */
    public static long[] sorted(PacedWriter writer, DeliveredRecords arrivals, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToLong(number -> Math.max(0, arrivals.time(number) - writer.committedAt(number)))
                .sorted()
                .toArray();
    }

    public static double quantile(long[] sorted, int percent) {
        return sorted[(int) Math.min(sorted.length - 1, (long) sorted.length * percent / 100)];
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost("p50 at 500 per second, in ms", 5, figures.median("caravan", Figure.latency(50, SLOW))),
                Goal.atMost("p99 at 500 per second, in ms", 25, figures.median("caravan", Figure.latency(99, SLOW))),
                Goal.atMost("p99 at 2,000 per second, in ms", 50, figures.median("caravan", Figure.latency(99, FAST))),
                Goal.atMost("idle relay, in percent of a core", 2, figures.median("caravan", IDLE)));
    }
}
