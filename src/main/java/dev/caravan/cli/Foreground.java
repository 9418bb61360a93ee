package dev.caravan.cli;

import dev.caravan.base.settings.Settings;
import dev.caravan.relay.LogEncoder;
import dev.caravan.relay.Running;
import dev.caravan.relay.postgres.EmbeddedServer;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;

/** Runs a relay or a console in the foreground until it ends. Ctrl-C and SIGTERM stop it, and the process ends with 0. */
final class Foreground {
    private final Logger log;
    private final String name;
    private Running running;
    /** What it runs on. */
    private volatile EmbeddedServer server;

    /** True until there is something to finish or to release. */
    private volatile boolean waiting = true;

    /** @param name what runs, for the log: {@code relay} */
    Foreground(Logger log, String name) {
        this.log = log;
        this.name = name;
    }

    /** @param work checks what it needs, and then calls {@link #start} */
    Integer run(Callable<Running> work) throws Exception {
        Thread stop = new Thread(this::stop, "stop-" + name);
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            work.call().awaitEnd();
        } finally {
            removeHook(stop);
            closeServer();
        }
        return 0;
    }

    /** Logs as these settings say, at first their warnings. Returns them. */
    Settings logging(Settings settings) {
        LogEncoder.use(settings.text(LogEncoder.SETTING, ""));
        settings.warnings().forEach(log::warn);
        settings.repeated().forEach((name, text) -> log.warn("{} {}", name, text));
        return settings;
    }

    /**
     * Starts the Postgres that the settings ask for; empty if it is not a child of this process. It is stopped after all that uses it: at the
     * end, at a stop, and if a start fails.
     */
    Optional<EmbeddedServer> start(Settings settings) throws SQLException {
        Optional<EmbeddedServer> asked = EmbeddedServer.of(settings);
        if (asked.isPresent()) {
            server = asked.get();
            server.start();
        }
        return asked;
    }

    private void closeServer() {
        if (server != null) {
            server.close();
        }
    }

    /** Holds the lock during the start, so that a stop waits until it has started completely, if it has {@link #begun}. */
    synchronized Running start(Callable<Running> start) throws Exception {
        running = start.call();
        begun();
        return running;
    }

    /** From now on there is something to finish or to release. */
    void begun() {
        waiting = false;
    }

    /**
     * Stops it and ends the process with 0. Without the halt the JVM would end with 143 or 130, which process supervisors
     * report as a failure.
     */
    private void stop() {
        if (!waiting) {
            close();
        }
        closeServer();
        log.info("The {} has stopped", name);
        Runtime.getRuntime().halt(0);
    }

    private synchronized void close() {
        try {
            if (running != null) {
                running.close();
            }
        } catch (RuntimeException e) {
            log.error("Could not stop the {} cleanly. Leases that are not released expire", name, e);
            closeServer();
            Runtime.getRuntime().halt(1);
        }
    }

    /**
     * Removes the hook after the end without a stop, so that the exit code of the command is used. Does not return while the hook is running: it
     * closes and ends the process, and what fails meanwhile is not to be reported.
     */
    private static void removeHook(Thread stop) throws InterruptedException {
        try {
            Runtime.getRuntime().removeShutdownHook(stop);
        } catch (IllegalStateException e) {
            stop.join();
        }
    }
}
