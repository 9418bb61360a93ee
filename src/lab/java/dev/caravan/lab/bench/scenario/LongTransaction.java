package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Topic;
import java.sql.Connection;
import java.util.List;

/** Checks that an open transaction that does not write to the outbox does not slow down a relay. */
public final class LongTransaction extends Scenario {
    private static final int MESSAGES = 200_000;
    private static final int RATE = 500;
    private static final Figure P99 = Figure.latency(99, RATE);

    public LongTransaction() {
        super(
                "long-transaction",
                "A backlog (200,000) is delivered, and messages are written at 500 per second, with and without an open"
                        + " transaction of the same database that has written to another table.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        for (boolean open : new boolean[] {false, true}) {
            String row = open ? "caravan" : "undisturbed";
            figures.add(row, Figure.RATE, drain(bench, open));
            figures.add(row, P99, latency(bench, open));
        }
    }

    private static double drain(Bench bench, boolean open) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        try (var run = bench.servers().newRun()) {
            Topic topic = run.newTopic();
            run.outbox().fill(content);
            CaravanContender caravan = new CaravanContender();
            try (var other = otherTransaction(run.outbox(), open);
                    var relay = caravan.start(run, topic)) {
                caravan.awaitDelivered(run.outbox(), relay);
            }
            return DeliveredRecords.in(topic, content.messages())
                    .requireOnceInOrder(DeliveredRecords.ALL)
                    .rate(DeliveredRecords.ALL);
        }
    }

    private static double latency(Bench bench, boolean open) throws Exception {
        try (var run = bench.servers().newRun();
                var other = otherTransaction(run.outbox(), open)) {
            Topic topic = run.newTopic();
            CaravanContender caravan = new CaravanContender();
            try (var relay = caravan.start(run, topic)) {
                long[] millis = Latency.measure(bench.size(), run.outbox(), topic, caravan, relay, RATE);
                return Latency.quantile(millis, 99);
            }
        }
    }

    /** A connection, with an open transaction if requested. Close it to end the transaction. */
    static Connection otherTransaction(Outbox outbox, boolean open) throws Exception {
        outbox.execute("create table if not exists unrelated (n int)");
        Connection connection = outbox.connect();
        if (open) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("insert into unrelated values (1)");
        }
        return connection;
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast(
                        "rate, relative to the undisturbed one",
                        0.9,
                        figures.ratio("caravan", "undisturbed", Figure.RATE)),
                Goal.atMost(
                        "p99 at 500 per second, ms more than undisturbed",
                        10,
                        figures.median("caravan", P99) - figures.median("undisturbed", P99)));
    }
}
