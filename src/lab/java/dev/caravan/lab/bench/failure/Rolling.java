package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.Pods;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Measures what receivers notice when a Deployment of relays is rolled and scaled, and when a node is lost. */
public final class Rolling extends Scenario {
    private static final int RATE = 200;
    private static final int LONGEST_SECONDS = 1_200;
    private static final int LANES = 6;
    private static final int RELAYS = 3;
    private static final int ROLLS = 3;
    private static final Figure LONGEST_PAUSE = Figure.seconds("longestPause");
    private static final Figure REPEATS = new Figure("repeats", "messages");

    /** Not included: a round takes minutes, so it runs only on request. */
    @Override
    public boolean isPartOfAll() {
        return false;
    }

    public Rolling() {
        super(
                "rolling",
                "Relays share 6 lanes, while 200 messages per second are written. They get what pods get. 3 relays are replaced one"
                        + " by one, three times, each new one before an old one stops (rolls); then scaled from 1 to 4 to 2 (scale); in"
                        + " another run one of 3 is killed (loss). The pause is the longest time from a commit to the record.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        rollAndScale(bench, figures);
        lose(bench, figures);
    }

    private static void rollAndScale(Bench bench, Figures figures) throws Exception {
        try (var run = bench.servers().newRun();
                var writer = new PacedWriter(run.outbox(), bench.size(), 1, RATE * LONGEST_SECONDS, RATE)) {
            Topic topic = run.newTopic();
            try (var pods = pods(run, topic)) {
                pods.scaleTo(RELAYS);
                pods.awaitShared(LANES);
                writer.start();
                long start = System.currentTimeMillis();
                for (int roll = 0; roll < ROLLS; roll++) {
                    pods.roll();
                }
                pods.awaitShared(LANES);
                long rolled = System.currentTimeMillis();
                for (int relays : new int[] {1, 4, 2}) {
                    pods.scaleTo(relays);
                    pods.awaitShared(LANES);
                }
                long scaled = System.currentTimeMillis();
                writer.stop();
                run.outbox().awaitDelivered(LANES, pods.any());
                var arrivals =
                        DeliveredRecords.in(topic, RATE * LONGEST_SECONDS).requireOnceInOrder(writer::wrote);
                figures.add("rolls", LONGEST_PAUSE, longestPause(arrivals, writer, start, rolled));
                figures.add("scale", LONGEST_PAUSE, longestPause(arrivals, writer, rolled, scaled));
            }
        }
    }

    private static void lose(Bench bench, Figures figures) throws Exception {
        try (var run = bench.servers().newRun();
                var writer = new PacedWriter(run.outbox(), bench.size(), 1, RATE * LONGEST_SECONDS, RATE)) {
            Topic topic = run.newTopic();
            try (var pods = pods(run, topic)) {
                pods.scaleTo(RELAYS);
                pods.awaitShared(LANES);
                writer.start();
                long start = System.currentTimeMillis();
                run.outbox()
                        .await("messages flow", pods.any(), () -> run.outbox().count("outbox") > RATE);
                pods.loseOne();
                pods.awaitShared(LANES);
                writer.stop();
                run.outbox().awaitDelivered(LANES, pods.any());
                var arrivals =
                        DeliveredRecords.in(topic, RATE * LONGEST_SECONDS).requireAllInOrder(writer::wrote);
                figures.add("loss", LONGEST_PAUSE, longestPause(arrivals, writer, start, System.currentTimeMillis()));
                figures.add("loss", REPEATS, arrivals.repeats());
            }
        }
    }

    private static Pods pods(BenchRun run, Topic topic) {
        return new Pods(run, BenchRoutes.withLanes(topic, LANES), Map.of());
    }

    /** The longest time from a commit to the record, of the messages that were committed between two times. */
    private static double longestPause(DeliveredRecords arrivals, PacedWriter writer, long from, long to) {
        return IntStream.rangeClosed(1, RATE * LONGEST_SECONDS)
                        .filter(number -> writer.committedAt(number) >= from && writer.committedAt(number) <= to)
                        .mapToLong(number -> arrivals.time(number) - writer.committedAt(number))
                        .max()
                        .orElseThrow()
                / 1e3;
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost(
                        "seconds without a record of a lane while relays are replaced",
                        2,
                        figures.max("rolls", LONGEST_PAUSE)),
                Goal.atMost("seconds while they are scaled", 2, figures.max("scale", LONGEST_PAUSE)),
                Goal.atMost("seconds after the loss of one", 12, figures.max("loss", LONGEST_PAUSE)));
    }
}
