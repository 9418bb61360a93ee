package dev.caravan.cli;

import dev.caravan.check.Configuration;
import dev.caravan.database.Database;
import dev.caravan.settings.Settings;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** {@code caravan run}: a relay in the foreground. */
@Command(
        name = "run",
        description = {
            "Run the relay in the foreground until Ctrl-C or SIGTERM.",
            "Waits for a database that is unavailable; ends with 1 when a person must mend something there, and with 2, before"
                    + " anything is started, when settings or routes have a problem."
        })
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    @ParentCommand
    private Caravan caravan;

    @Mixin
    private SettingsOptions options;

    private RunningRelay relay;

    @Override
    public Integer call() throws Exception {
        Settings settings = options.settings();
        Configuration.require(settings);
        new DatabaseGate(
                        Database.forLongCommand(settings),
                        settings.flag("caravan.schema.auto", false),
                        TimeUnit.SECONDS::sleep)
                .await();
        Thread stop = new Thread(this::stop, "stop-relay");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            start(settings).awaitEnd();
        } finally {
            forget(stop);
        }
        return 0;
    }

    /** A stop that comes meanwhile waits until the relay has started, so that none is left half started. */
    private synchronized RunningRelay start(Settings settings) throws Exception {
        relay = caravan.relayStart().start(settings);
        return relay;
    }

    /**
     * A relay that was asked to stop and did so has succeeded: without the halt the JVM would end with 143 or 130, which
     * process supervisors take for a failure.
     */
    private synchronized void stop() {
        try {
            if (relay != null) {
                relay.close();
            }
            LOG.info("The relay has stopped");
        } catch (RuntimeException e) {
            LOG.error("Could not stop the relay cleanly; its leases end by themselves", e);
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    /** A relay that ended by itself has nothing to stop, and its exit code stands. */
    private static void forget(Thread stop) {
        try {
            Runtime.getRuntime().removeShutdownHook(stop);
        } catch (IllegalStateException e) {
            // the hook is running: it closes the relay and ends the process
        }
    }
}
