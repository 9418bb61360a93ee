package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.database.Database;
import dev.caravan.database.schema.DatabaseReadiness;
import dev.caravan.relay.BeforeRoutes;
import dev.caravan.relay.LogEncoder;
import dev.caravan.relay.Relay;
import dev.caravan.routes.check.Configuration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** {@code caravan run}: runs a relay in the foreground. */
@Command(
        name = "run",
        description = {
            "Run the relay in the foreground until Ctrl-C or SIGTERM.",
            "Waits while the database is unavailable. Exit code 1: a person must correct something in the database. Exit code 2:"
                    + " settings or routes have a problem; nothing was started."
        })
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    @ParentCommand
    private Caravan caravan;

    @Mixin
    private SettingsOptions options;

    private RunningRelay relay;
    /** True until the routes start: until then there is nothing to finish or to release. */
    private volatile boolean waiting = true;

    @Override
    public Integer call() throws Exception {
        Thread stop = new Thread(this::stop, "stop-relay");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            Settings settings = options.ofRelay();
            LogEncoder.use(settings.text(LogEncoder.SETTING, ""));
            settings.warnings().forEach(LOG::warn);
            LOG.info("The relay starts with the routes in {}", settings.text("caravan.routes", "routes"));
            Configuration.require(settings, Relay.settings());
            boolean applySchema = settings.flag("caravan.schema.auto", false);
            var database = new DatabaseReadiness(
                    applySchema ? Database.forMigrations(settings) : Database.forLongCommand(settings),
                    applySchema,
                    TimeUnit.SECONDS::sleep);
            boolean ready = database.isReady(); // throws, before anything is started, if a person must act
            start(settings, ready ? BeforeRoutes.NOTHING : database::await).awaitEnd();
        } finally {
            removeHook(stop);
        }
        return 0;
    }

    /** Holds the lock during the start, so that a stop waits until the relay has started completely. */
    private synchronized RunningRelay start(Settings settings, BeforeRoutes database) throws Exception {
        relay = caravan.relayStart().start(settings, () -> {
            database.await();
            waiting = false;
        });
        return relay;
    }

    /**
     * Stops the relay and ends the process with 0. Without the halt the JVM would end with 143 or 130, which process supervisors
     * report as a failure.
     */
    private void stop() {
        if (!waiting) {
            close();
        }
        LOG.info("The relay has stopped");
        Runtime.getRuntime().halt(0);
    }

    private synchronized void close() {
        try {
            if (relay != null) {
                relay.close();
            }
        } catch (RuntimeException e) {
            LOG.error("Could not stop the relay cleanly. Its leases are not released, and expire", e);
            Runtime.getRuntime().halt(1);
        }
    }

    /** Removes the hook after the relay ended without a stop, so that the exit code of the command is used. */
    private static void removeHook(Thread stop) {
        try {
            Runtime.getRuntime().removeShutdownHook(stop);
        } catch (IllegalStateException e) {
            // the hook is running: it closes the relay and ends the process
        }
    }
}
