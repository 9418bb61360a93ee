package dev.caravan.lab.bench.subscription;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Latency;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Measures the latency of subscriptions that are current, before and while another subscription of the relay delivers a backlog. The
 * others do not want the messages of the backlog, and have passed them. Then again with a backlog whose rate is limited, so that processor time
 * is left.
 */
final class BesideBacklog {
    static final String BESIDE = "beside backlog";
    static final String BESIDE_LIMITED = "beside limited";
    static final Figure P99 = Figure.latency(99, LoadedRelay.RATE);

    private static final int BACKLOG = 200_000;
    private static final int LIMIT = 2_000;
    /** Until the compiler of Java has done most of its work, without the time in which the subscription catches up. */
    private static final int WARM_UP_SECONDS = 120;

    private static final int LONGEST_SECONDS = 900;
    private static final String BEHIND = "behind";

    /** Times in milliseconds of the clock. */
    private record Times(long warm, long resumed, long caughtUp) {}

    private BesideBacklog() {}

    static String before(String row) {
        return row.replace("beside", "before");
    }

    static void measure(Bench bench, int subscriptions, Figures figures) throws Exception {
        measure(bench, subscriptions, BESIDE, bench.size().messages(BACKLOG), "", figures);
        String rate = "\n        rate: " + LIMIT + "/s";
        measure(bench, subscriptions, BESIDE_LIMITED, LIMIT * bench.size().seconds(), rate, figures);
    }

    private static void measure(Bench bench, int subscriptions, String row, int backlog, String option, Figures figures)
            throws Exception {
        int last = backlog + LoadedRelay.RATE * LONGEST_SECONDS;
        try (var run = bench.servers().newRun();
                var writer = new PacedWriter(run.outbox(), bench.size(), backlog + 1, last, LoadedRelay.RATE)
                        .ofTypes(subscriptions - 1)) {
            Topic ofBehind = run.newTopic();
            Topic ofOthers = run.newTopic();
            List<String> routes = new ArrayList<>(List.of(
                    BenchRoutes.toKafka(BEHIND, ofBehind).replace("pipelined: true", "pipelined: true" + option)));
            for (int i = 0; i < subscriptions - 1; i++) {
                routes.add(BenchRoutes.toKafka("bench-" + i, ofOthers, PacedWriter.type(i)));
            }
            Times times;
            try (var relay = CaravanContender.readyRelay(run, "relay", routes, Map.of())) {
                times = catchUp(bench.size(), run.outbox(), relay, subscriptions, backlog, writer);
                writer.stop();
                run.outbox().awaitDelivered(subscriptions, relay);
            }
            figures.add(row, Figure.RATE, backlog * 1e3 / (times.caughtUp - times.resumed));
            DeliveredRecords.in(ofBehind, last).requireOnceInOrder(number -> number <= backlog || writer.wrote(number));
            IntPredicate written = number -> number > backlog && writer.wrote(number);
            DeliveredRecords arrivals = DeliveredRecords.in(ofOthers, last).requireOnceInOrder(written);
            figures.add(before(row), P99, p99(arrivals, writer, backlog + 1, last, times.warm, times.resumed));
            figures.add(row, P99, p99(arrivals, writer, backlog + 1, last, times.resumed, times.caughtUp));
        }
    }

    /**
     * Pauses one subscription, and resumes it with a backlog while messages are written: first with what was written in the first half of the
     * warm-up, so that the compiler of Java also knows how a subscription reads for itself, then with the backlog.
     */
    private static Times catchUp(
            Size size, Outbox outbox, Program relay, int subscriptions, int backlog, PacedWriter writer)
            throws Exception {
        outbox.await("all are owned", relay, () -> owned(outbox) == subscriptions);
        pause(outbox, relay, subscriptions);
        writer.start();
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS / 2);
        resume(outbox, relay, subscriptions);
        awaitPosition(outbox, relay);
        pause(outbox, relay, subscriptions);
        outbox.insert(Content.of(size, backlog));
        long inserted = outbox.maxId();
        String current = "outbox_subscription where position >= " + inserted;
        outbox.await("the others have passed it", relay, () -> outbox.count(current) == subscriptions - 1);
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS / 2);
        long warm = System.currentTimeMillis();
        TimeUnit.SECONDS.sleep(size.seconds());
        resume(outbox, relay, subscriptions);
        long resumed = System.currentTimeMillis();
        awaitPosition(outbox, relay);
        return new Times(warm, resumed, System.currentTimeMillis());
    }

    private static void pause(Outbox outbox, Program relay, int subscriptions) throws Exception {
        outbox.execute("update outbox_subscription set paused = true where name = '" + BEHIND + "'");
        outbox.await("one is paused", relay, () -> owned(outbox) == subscriptions - 1);
    }

    private static void resume(Outbox outbox, Program relay, int subscriptions) throws Exception {
        outbox.execute("update outbox_subscription set paused = false where name = '" + BEHIND + "'");
        outbox.await("it is resumed", relay, () -> owned(outbox) == subscriptions);
    }

    /** Waits until the subscription has passed what is the newest message now. */
    private static void awaitPosition(Outbox outbox, Program relay) throws Exception {
        long newest = outbox.maxId();
        outbox.await("it has caught up", relay, () -> position(outbox) >= newest);
    }

    private static long owned(Outbox outbox) throws Exception {
        return outbox.count("outbox_subscription where lease_until > clock_timestamp()");
    }

    private static long position(Outbox outbox) throws Exception {
        return Long.parseLong(outbox.text("select position from outbox_subscription where name = '" + BEHIND + "'"));
    }

    /** Of the messages that were committed between two times. */
    private static double p99(DeliveredRecords arrivals, PacedWriter writer, int first, int last, long from, long to) {
        long[] millis = IntStream.rangeClosed(first, last)
                .filter(number -> writer.committedAt(number) >= from && writer.committedAt(number) < to)
                .mapToLong(number -> Math.max(0, arrivals.time(number) - writer.committedAt(number)))
                .sorted()
                .toArray();
        return Latency.quantile(millis, 99);
    }
}
