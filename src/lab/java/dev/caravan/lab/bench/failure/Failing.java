package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.util.List;
import java.util.Map;

/** Measures the accepted messages of a backlog in which the destination answers 500 to all other messages. */
public final class Failing extends Scenario {
    private static final int MESSAGES = 30_000;
    private static final Map<Integer, Double> GOALS = Map.of(1, 0.9, 10, 0.9, 50, 0.5);
    private static final List<Integer> PERCENTS = List.of(0, 1, 10, 50);

    public Failing() {
        super(
                "failing",
                "A backlog (30,000) is posted to an HTTP server that answers 500 to all messages of 0, 1, 10 and 50 percent of the"
                        + " keys, for each order and dispatch. The rate of the others is compared with their rate in the run of the same"
                        + " round in which all are accepted; when half of the messages fail, 0.5 means that a failed attempt costs no"
                        + " more than a delivery.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        measure("none", "none", false, bench, content, figures);
        measure("key", "key", false, bench, content, figures);
        measure("key, pipelined", "key", true, bench, content, figures);
    }

    private static void measure(
            String row, String order, boolean pipelined, Bench bench, Content content, Figures figures)
            throws Exception {
        double free = 0;
        for (int percent : PERCENTS) {
            double rate = rate(bench, content, order, pipelined, percent);
            figures.add(row, new Figure("rate" + percent, "messages/s"), rate);
            if (percent == 0) {
                free = rate;
            } else {
                figures.add(row, ratio(percent), rate / free);
            }
        }
    }

    private static double rate(Bench bench, Content content, String order, boolean pipelined, int percent)
            throws Exception {
        try (var run = bench.servers().newRun();
                var server = new RefusingServer(content.messages(), percent)) {
            Outbox outbox = run.outbox();
            outbox.fill(content);
            int good = Integer.parseInt(outbox.text(RefusingServer.goodMessages(percent)));
            List<String> routes = List.of(BenchRoutes.toHttp(server.url(), order, pipelined));
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of())) {
                outbox.await("all good messages are accepted", relay, () -> server.accepted() == good);
            }
            return server.rate();
        }
    }

    private static Figure ratio(int percent) {
        return Figure.ratio("ratio" + percent);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return PERCENTS.stream()
                .filter(GOALS::containsKey)
                .map(percent -> Goal.atLeast(
                        "lowest rate of good messages with " + percent + " percent failing, relative to none",
                        GOALS.get(percent),
                        figures.rows().values().stream()
                                .mapToDouble(row -> row.get(ratio(percent)).median())
                                .min()
                                .orElseThrow()))
                .toList();
    }
}
