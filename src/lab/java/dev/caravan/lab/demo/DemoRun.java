package dev.caravan.lab.demo;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.schema.Schema;
import dev.caravan.lab.servers.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One run of the demo, from the start of the servers to the result. */
final class DemoRun {
    private static final int CONNECTIONS = 8;
    private static final int MAX_PATIENCE_AFTER_STOP_SECONDS = 10;
    private static final long CHECK_EVERY_MILLIS = 100;
    private static final Path SETTINGS_FILE = Path.of("application.properties");

    private final DemoPlan plan;
    private final DemoRelayStart relayStart;
    private final DemoScreen screen;
    private final StopSignal stop;
    private final long startedAt = System.nanoTime();

    DemoRun(DemoPlan plan, DemoRelayStart relayStart, DemoScreen screen, StopSignal stop) {
        this.plan = plan;
        this.relayStart = relayStart;
        this.screen = screen;
        this.stop = stop;
    }

    /** Runs to the end, and compares the arrivals after the relay has stopped, so that late repeats are counted. */
    Verdict verdict() throws Exception {
        try (var servers = DemoServers.start(screen::print)) {
            new Schema(servers.database()).apply();
            var transactions = new TransactionPlan(plan.seed(), plan.bookings(), plan.maxMessages());
            try (var app = new BookingApp(servers.database(), transactions, new EvenPace(plan.rate()))) {
                deliver(app, servers);
                servers.finishReading();
                return verdict(app, servers);
            }
        }
    }

    private void deliver(BookingApp app, DemoServers servers) throws Exception {
        screen.print("Starting the relay ...");
        Settings settings = settings(servers);
        try (var relay = relayStart.start(settings)) {
            String address = "http://localhost:" + settings.text("camel.management.port", "");
            screen.print("Relay          " + address + "/observe/health and /observe/metrics");
            screen.print("Console        " + address + "/console/");
            screen.print("The booking application starts to write (seed " + plan.seed() + ") ...");
            app.start(CONNECTIONS);
            var status = new DemoStatus(app, servers);
            watch(app, status);
            app.close();
            screen.print("The booking application has stopped writing; waiting for the last arrivals ...");
            awaitRemaining(status);
            screen.finish(status);
            screen.print("Stopping ...");
        }
    }

    private static Settings settings(DemoServers servers) throws IOException {
        Map<String, String> overrides = new HashMap<>(servers.settings());
        overrides.put("camel.management.port", Integer.toString(FreePorts.one()));
        overrides.put("caravan.routes", "routes"); // the shipped routes, whatever the environment sets
        return Settings.load(SETTINGS_FILE, overrides);
    }

    /** Waits until Ctrl-C, or with --exit until all messages are written and have arrived. */
    private void watch(BookingApp app, DemoStatus status) throws Exception {
        var stall = new StallDetector(plan.patienceSeconds());
        while (!stop.await(CHECK_EVERY_MILLIS)) {
            screen.update(status);
            boolean written = app.finished();
            if (plan.exit() && written && (status.allArrived() || stall.isDetected(status.arrived()))) {
                return;
            }
        }
    }

    /** After Ctrl-C, waits for the committed messages as long as any arrive. */
    private void awaitRemaining(DemoStatus status) throws Exception {
        var stall = new StallDetector(Math.min(plan.patienceSeconds(), MAX_PATIENCE_AFTER_STOP_SECONDS));
        while (!status.allArrived() && !stall.isDetected(status.arrived())) {
            screen.update(status);
            TimeUnit.MILLISECONDS.sleep(CHECK_EVERY_MILLIS);
        }
    }

    private Verdict verdict(BookingApp app, DemoServers servers) throws Exception {
        var sent = SentMessage.readAll(servers.database());
        double seconds = (System.nanoTime() - startedAt) / (double) TimeUnit.SECONDS.toNanos(1);
        return new Verdict(
                plan.seed(),
                Math.round(seconds * 10) / 10.0,
                app.committed(),
                sent.size(),
                app.rolledBack(),
                Verdict.tallies(sent, servers.arrivals()));
    }
}
