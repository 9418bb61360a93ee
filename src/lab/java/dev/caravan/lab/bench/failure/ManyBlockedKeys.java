package dev.caravan.lab.bench.failure;

import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchRun;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import dev.caravan.lab.bench.scenario.Bench;
import dev.caravan.lab.bench.scenario.Scenario;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Checks that millions of blocked keys slow down neither the messages of other keys nor a takeover. */
public final class ManyBlockedKeys extends Scenario {
    private static final int MESSAGES = 300_000;
    private static final int BLOCKED_PER_MESSAGE = 16;
    private static final String SMALL_HEAP = "-Xmx256m";
    private static final Figure RATIO = Figure.ratio("ratio");
    private static final Figure TAKEOVER = Figure.seconds("takeover");

    public ManyBlockedKeys() {
        super(
                "many-blocked-keys",
                "One subscription has 4,800,000 blocked keys. A backlog (300,000) of other keys is delivered by another"
                        + " subscription of the same database, then by this one; the rates are compared. Then a second relay starts, and"
                        + " the first one is killed. The heap of each relay is 256 MB.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        Content content = Content.of(bench.size(), bench.size().messages(MESSAGES));
        try (var run = bench.servers().newRun()) {
            Outbox outbox = run.outbox();
            block("blocked", content.messages() * BLOCKED_PER_MESSAGE, outbox);
            outbox.fill(content);
            double free = drain(bench, run, content, "free", 1, figures);
            double blocked = drain(bench, run, content, "blocked", 2, figures);
            figures.add("blocked", RATIO, blocked / free);
            figures.add("blocked", TAKEOVER, secondsToTakeOver(bench, run));
        }
    }

    private static void block(String subscription, int keys, Outbox outbox) throws SQLException {
        try (var connection = outbox.connect();
                var insert = connection.prepareStatement(BenchSql.read("block_keys"))) {
            insert.setString(1, subscription);
            insert.setInt(2, keys);
            insert.execute();
        }
        outbox.execute("vacuum (freeze, analyze) outbox_retry");
    }

    private static double drain(
            Bench bench, BenchRun run, Content content, String subscription, int subscriptions, Figures figures)
            throws Exception {
        Topic topic = run.newTopic();
        List<String> routes = List.of(BenchRoutes.toKafka(subscription, topic));
        try (var relay = CaravanContender.relay(run, subscription, routes, Map.of(), SMALL_HEAP)) {
            run.outbox().awaitPassed(subscriptions, relay);
            figures.add(subscription, Figure.CPU, relay.cpu().toNanos() / 1000.0 / content.messages());
            relay.peakMemory().ifPresent(bytes -> figures.add(subscription, Figure.MEMORY, bytes / 1e6));
        }
        double rate = DeliveredRecords.in(topic, content.messages())
                .requireOnceInOrder(DeliveredRecords.ALL)
                .rate(DeliveredRecords.ALL);
        figures.add(subscription, Figure.RATE, rate);
        return rate;
    }

    /** From the kill of the owner to the first record of the other relay. */
    private static double secondsToTakeOver(Bench bench, BenchRun run) throws Exception {
        Outbox outbox = run.outbox();
        Topic ofOwner = run.newTopic();
        Topic ofStandby = run.newTopic();
        Content one = Content.of(bench.size(), 1);
        try (var owner = Takeover.relay(run, "blocked", ofOwner, "owner", SMALL_HEAP)) {
            outbox.insert(one);
            awaitRecord(ofOwner, outbox, owner);
            try (var standby = Takeover.relay(run, "blocked", ofStandby, "standby", SMALL_HEAP)) {
                long killed = System.currentTimeMillis();
                owner.kill();
                outbox.insert(one);
                return (awaitRecord(ofStandby, outbox, standby) - killed) / 1e3;
            }
        }
    }

    /** Returns the time of the record, in milliseconds. */
    private static long awaitRecord(Topic topic, Outbox outbox, Program relay) throws Exception {
        outbox.await(
                "a record in " + topic.name(),
                relay,
                () -> DeliveredRecords.in(topic, 1).time(1) > 0);
        return DeliveredRecords.in(topic, 1).time(1);
    }

    @Override
    public List<Goal> goals(Figures figures) {
        return List.of(
                Goal.atLeast("rate, relative to that without blocked keys", 0.9, figures.median("blocked", RATIO)),
                Goal.atMost("seconds after a kill", 1.5, figures.max("blocked", TAKEOVER)));
    }
}
