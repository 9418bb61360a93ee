package dev.caravan.lab.bench.scenario;

import dev.caravan.database.Sql;
import dev.caravan.lab.bench.contender.BenchRoutes;
import dev.caravan.lab.bench.contender.CaravanContender;
import dev.caravan.lab.bench.figure.Figure;
import dev.caravan.lab.bench.figure.Figures;
import dev.caravan.lab.bench.figure.Goal;
import dev.caravan.lab.bench.run.BenchSql;
import dev.caravan.lab.bench.run.Content;
import dev.caravan.lab.bench.run.DeliveredRecords;
import dev.caravan.lab.bench.run.Inserters;
import dev.caravan.lab.bench.run.Outbox;
import dev.caravan.lab.bench.run.Program;
import dev.caravan.lab.bench.run.Topic;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures the cost of the wake-up trigger for inserts and its benefit. */
public final class WakeUpScenario extends Scenario {
    private static final int[] CLIENTS = {1, 4};
    private static final long SLICE = 250_000_000L;
    private static final int SLEEPS = 5;
    private static final int MESSAGES = 50_000;
    private static final String WITHOUT = "no trigger";
    private static final String OFF = "disabled";
    private static final String AWAKE = "no relay sleeps";
    private static final String ASLEEP = "a relay sleeps";
    private static final Figure WAKE = new Figure("wakeLatency", "ms");

    public WakeUpScenario() {
        super(
                "wake-up",
                "1 and 4 clients insert one message per transaction as fast as possible, for --seconds each: into an outbox without"
                        + " the trigger, with the trigger disabled, with the trigger while no relay sleeps, and while a relay sleeps, in"
                        + " turns of a quarter of a second. Then messages are written one by one while the relay sleeps, and the time from"
                        + " commit to append is measured. Finally, the processor time of a relay with 1 and 3 subscriptions is measured"
                        + " while nothing is written, asleep and polling.");
    }

    @Override
    public void round(Bench bench, Figures figures) throws Exception {
        for (int clients : CLIENTS) {
            insert(bench, figures, clients);
        }
        figures.add("asleep", WAKE, wakeLatency(bench));
        for (int subscriptions : new int[] {1, 3}) {
            for (boolean sleeps : new boolean[] {true, false}) {
                figures.add(sleeps ? "asleep" : "polling", idle(subscriptions), idle(bench, subscriptions, sleeps));
            }
        }
    }

    private static void insert(Bench bench, Figures figures, int clients) throws Exception {
        try (var without = bench.servers().newRun();
                var off = bench.servers().newRun();
                var with = bench.servers().newRun();
                var sleeping = bench.servers().newRun();
                var listening = listen(sleeping.outbox())) {
            without.outbox().execute("drop trigger outbox_wake_up on outbox");
            enableTrigger(with.outbox());
            enableTrigger(sleeping.outbox());
            Map<String, Inserters> rows = new LinkedHashMap<>();
            try {
                rows.put(WITHOUT, new Inserters(without.outbox(), bench.size(), clients));
                rows.put(OFF, new Inserters(off.outbox(), bench.size(), clients));
                rows.put(AWAKE, new Inserters(with.outbox(), bench.size(), clients));
                rows.put(ASLEEP, new Inserters(sleeping.outbox(), bench.size(), clients));
                takeTurns(rows, bench.size().seconds() * 4);
                rows.forEach((row, inserters) -> figures.add(row, rate(clients), inserters.rate()));
            } finally {
                for (Inserters inserters : rows.values()) {
                    inserters.close();
                }
            }
        }
    }

    private static void takeTurns(Map<String, Inserters> rows, int turns) throws Exception {
        for (Inserters inserters : rows.values()) {
            inserters.run(SLICE);
            inserters.reset(); // a warm-up
        }
        for (int turn = 0; turn < turns; turn++) {
            for (Inserters inserters : rows.values()) {
                inserters.run(SLICE);
            }
        }
    }

    private static void enableTrigger(Outbox outbox) throws SQLException {
        outbox.execute("alter table outbox enable trigger outbox_wake_up");
    }

    /** Announces sleep as a relay does, without a relay. */
    private static Connection listen(Outbox outbox) throws SQLException {
        Connection connection = outbox.connect();
        Sql.execute(connection, "do $$ begin execute 'listen outbox_insert_' || 'outbox'::regclass::oid; end $$");
        Sql.execute(connection, "select setval('outbox_sleeper', 9000000000000000)");
        return connection;
    }

    /** The median over several sleeps. */
    private static double wakeLatency(Bench bench) throws Exception {
        try (var run = bench.servers().newRun()) {
            enableTrigger(run.outbox());
            Topic topic = run.newTopic();
            CaravanContender caravan = new CaravanContender();
            try (var relay = caravan.start(run, topic)) {
                int first = 2; // the first message is for the start
                run.outbox().insert(Content.of(bench.size(), 1));
                caravan.awaitDelivered(run.outbox(), relay);
                long[] committed = new long[first + SLEEPS];
                try (var insert = run.outbox().connect().prepareStatement(BenchSql.read("insert"))) {
                    for (int number = first; number < committed.length; number++) {
                        awaitSleep(run.outbox(), relay);
                        insert.setString(1, "order-1");
                        insert.setString(2, Content.TYPE);
                        insert.setInt(3, number);
                        insert.setInt(4, bench.size().bytes());
                        insert.execute();
                        committed[number] = System.currentTimeMillis();
                        caravan.awaitDelivered(run.outbox(), relay);
                    }
                    insert.getConnection().close();
                }
                DeliveredRecords arrivals =
                        DeliveredRecords.in(topic, committed.length - 1).requireOnceInOrder(DeliveredRecords.ALL);
                long[] millis = new long[SLEEPS];
                for (int i = 0; i < SLEEPS; i++) {
                    millis[i] = Math.max(0, arrivals.time(first + i) - committed[first + i]);
                }
                Arrays.sort(millis);
                return Latency.quantile(millis, 50);
            }
        }
    }

    private static void awaitSleep(Outbox outbox, Program relay) throws Exception {
        outbox.await("the relay sleeps", relay, () -> outbox.text("select is_called from outbox_sleeper")
                .equals("t"));
        TimeUnit.MILLISECONDS.sleep(500); // announced, and then asleep
    }

    /** Percent of a core per subscription. */
    private static double idle(Bench bench, int subscriptions, boolean sleeps) throws Exception {
        try (var run = bench.servers().newRun()) {
            List<String> routes = new ArrayList<>();
            for (int i = 1; i <= subscriptions; i++) {
                routes.add(BenchRoutes.toKafka("bench-" + i, run.newTopic()));
            }
            if (sleeps) {
                enableTrigger(run.outbox());
            }
            try (var relay = CaravanContender.relay(run, "relay", routes, Map.of())) {
                // a warm-up, so that Java has compiled the code
                run.outbox().insert(Content.of(bench.size(), bench.size().messages(MESSAGES)));
                run.outbox().awaitDelivered(subscriptions, relay);
                TimeUnit.SECONDS.sleep(5);
                return relay.cpuDuring(bench.size().seconds()) / subscriptions;
            }
        }
    }

    private static Figure rate(int clients) {
        return new Figure("rateOf" + clients, "transactions/s");
    }

    private static Figure idle(int subscriptions) {
        return new Figure("idleCpuOf" + subscriptions, "% of a core each");
    }

    @Override
    public List<Goal> goals(Figures figures) {
        List<Goal> goals = new ArrayList<>();
        for (int clients : CLIENTS) {
            for (String row : List.of(OFF, AWAKE)) {
                goals.add(Goal.atLeast(
                        "rate of " + clients + " clients, " + row + ", relative to no trigger",
                        0.98,
                        figures.ratio(row, WITHOUT, rate(clients))));
            }
        }
        for (String row : List.of("asleep", "polling")) {
            for (int subscriptions : new int[] {1, 3}) {
                goals.add(Goal.atMost(
                        row + " relay with " + subscriptions + " subscriptions, percent of a core per subscription",
                        2,
                        figures.median(row, idle(subscriptions))));
            }
        }
        return goals;
    }
}
