package dev.caravan.lab.bench.scenario;

import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.PacedWriter;
import dev.caravan.lab.bench.run.Size;
import dev.caravan.lab.bench.run.Topic;
import java.sql.Connection;
import java.util.List;

/** Checks that rolled-back ids do not slow down a relay while a transaction that has written to the outbox stays open. */
public final class Rollbacks extends Scenario {
    private static final int GAPS = 90_000;
    private static final int RATE = 200;
    private static final int ROLLBACK_EVERY = 8;
    private static final Figure P50 = Figure.latency(50, RATE);
    private static final Figure P99 = Figure.latency(99, RATE);

    public Rollbacks() {
        super(
                "rollbacks",
                "90,000 messages are committed, each after a rolled-back id. Then messages are committed at 200 per second, and 25"
                        + " transactions per second are rolled back, for --seconds. This is measured without and with a transaction that"
                        + " has inserted into the outbox before and stays open, so that no gap can be settled.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        run("undisturbed", bench, false, figures);
        run("caravan", bench, true, figures);
    }

    private static void run(String row, Bench bench, boolean open, Figures figures) throws Exception {
        Size size = bench.size();
        int gaps = size.messages(GAPS);
        int last = gaps + RATE * size.seconds();
        CaravanContender caravan = new CaravanContender();
        try (var run = bench.servers().newRun();
                var other = run.outbox().connect();
                var writer = new PacedWriter(run.outbox(), size, gaps + 1, last, RATE, ROLLBACK_EVERY)) {
            Outbox outbox = run.outbox();
            Topic topic = run.newTopic();
            try (var relay = caravan.start(run, topic)) {
                outbox.await("there is a subscription", relay, () -> outbox.count("outbox_subscription") == 1);
                other.setAutoCommit(!open);
                insert(last + 1, other);
                outbox.execute(BenchSql.read("leave_gaps").formatted(gaps, size.keys()));
                outbox.await("all are read", relay, outbox::hasReadAll);
                long before = outbox.walBytes();
                writer.start();
                writer.awaitEnd();
                figures.add(row, Figure.WAL, (outbox.walBytes() - before) / (double) (last - gaps));
                other.setAutoCommit(true); // commits
                outbox.awaitDelivered(1, relay);
            }
            DeliveredRecords arrivals = DeliveredRecords.in(topic, last + 1).requireOnceInOrder(DeliveredRecords.ALL);
            long[] millis = Latency.sorted(writer, arrivals, gaps + 1, last);
            figures.add(row, P50, Latency.quantile(millis, 50));
            figures.add(row, P99, Latency.quantile(millis, 99));
        }
    }

    /** Inserts the message with the highest number, with a key that no other message has. */
    private static void insert(int number, Connection connection) throws Exception {
        try (var insert = connection.prepareStatement(BenchSql.read("insert"))) {
            insert.setString(1, "order-of-the-open-transaction");
            insert.setString(2, Content.TYPE);
            insert.setInt(3, number);
            insert.setInt(4, 1);
            insert.execute();
        }
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(ratio("p50", P50, figures), ratio("log of the database per message", Figure.WAL, figures));
    }

    private static Goal ratio(String what, Figure figure, Figures figures) {
        double found = figures.median("caravan", figure) / Math.max(1, figures.median("undisturbed", figure));
        return Goal.atMost(what + ", relative to the undisturbed one", 2, found);
    }
}
