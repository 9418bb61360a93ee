package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import dev.caravan.lab.servers.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Measures how fast a standby relay takes over when the active relay ends. */
public final class Takeover extends Scenario {
    private static final int RATE = 200;
    private static final int LONGEST_SECONDS = 600;
    private static final Duration LIMIT = Duration.ofSeconds(180);
    /** One takeover is not representative: the figure is the slowest of many. */
    private static final int KILLS = 20;

    private static final Figure KILLED = Figure.seconds("afterKill");
    private static final Figure STOPPED = Figure.seconds("afterStop");

    public Takeover() {
        super(
                "takeover",
                "Of two relays, the one that works the subscription is killed (SIGKILL) " + KILLS
                        + " times, and in another run"
                        + " stopped (SIGTERM), while 200 messages per second are written. The scenario measures the time from the signal"
                        + " to the first record of the other relay.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        for (double afterKill : seconds(bench, KILLS, true)) {
            figures.add("caravan", KILLED, afterKill);
        }
        figures.add("caravan", STOPPED, seconds(bench, 1, false).get(0));
    }

    /** Ends the relays one after the other, each after another one has started and stands by. */
    private static List<Double> seconds(Bench bench, int takeovers, boolean kill) throws Exception {
        try (var run = bench.servers().newRun();
                var writer = new PacedWriter(run.outbox(), bench.size(), 1, RATE * LONGEST_SECONDS, RATE)) {
            return seconds(run, writer, takeovers, kill);
        }
    }

    private static List<Double> seconds(BenchRun run, PacedWriter writer, int takeovers, boolean kill)
            throws Exception {
        List<Program> relays = new ArrayList<>();
        try {
            Topic topic = run.newTopic();
            Outbox outbox = run.outbox();
            relays.add(relay(run, topic, name(0)));
            Await.until("a relay has taken the subscription", LIMIT, () -> owner(outbox)
                    .equals(name(0)));
            writer.start();
            List<Long> signals = new ArrayList<>();
            for (int n = 0; n < takeovers; n++) {
                String leaving = name(n);
                String successor = name(n + 1);
                relays.add(relay(run, topic, successor));
                outbox.await("messages flow", relays.get(n), () -> DeliveredRecords.in(topic, RATE * LONGEST_SECONDS)
                        .firstOf(leaving)
                        .isPresent());
                signals.add(end(relays.get(n), kill));
                outbox.await("another relay has taken over", relays.get(n + 1), () -> owner(outbox)
                        .equals(successor));
            }
            writer.stop();
            outbox.awaitDelivered(1, relays.get(takeovers));
            DeliveredRecords arrivals = DeliveredRecords.in(topic, RATE * LONGEST_SECONDS);
            check(arrivals, writer, kill);
            return IntStream.range(0, takeovers)
                    .mapToObj(n -> (arrivals.firstOf(name(n + 1)).orElseThrow() - signals.get(n)) / 1e3)
                    .toList();
        } finally {
            relays.forEach(Program::close);
        }
    }

    private static String name(int number) {
        return "relay-" + number;
    }

    /** Returns the time just before the signal. */
    private static long end(Program relay, boolean kill) throws Exception {
        long signal = System.currentTimeMillis();
        if (kill) {
            relay.kill();
        } else {
            relay.terminate();
        }
        return signal;
    }

    private static Program relay(BenchRun run, Topic topic, String name) throws Exception {
        return relay(run, "bench", topic, name);
    }

    /** Starts a relay that adds its name to each record. Returns when its routes have started, so that its start is not measured. */
    static Program relay(BenchRun run, String subscription, Topic topic, String name, String... jvm) throws Exception {
        return CaravanContender.readyRelay(
                run, name, List.of(BenchRoutes.namingTheRelay(subscription, topic)), Map.of(), jvm);
    }

    private static void check(DeliveredRecords arrivals, PacedWriter writer, boolean kill) {
        if (kill) {
            arrivals.requireAllInOrder(writer::wrote);
        } else {
            arrivals.requireOnceInOrder(writer::wrote);
        }
    }

    private static String owner(Outbox outbox) throws java.sql.SQLException {
        return outbox.text("select owner from outbox_subscription");
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atMost("seconds after a kill", 1.5, figures.max("caravan", KILLED)),
                Goal.atMost("seconds after a clean stop", 1, figures.max("caravan", STOPPED)));
    }
}
