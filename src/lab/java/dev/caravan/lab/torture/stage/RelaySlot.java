package dev.caravan.lab.torture.stage;

import dev.caravan.lab.servers.RelayProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs one relay at a time, and a new one after a kill. Each process has its own name. */
public final class RelaySlot implements AutoCloseable {
    private final String name;
    private final Path logs;
    private final Map<String, String> settings;
    private final String heap;
    private final Network postgres;
    private RelayProcess relay;
    private int starts;

    /** @param heap the option of its JVM for the size of the heap */
    RelaySlot(String name, Path logs, TorturedOutbox outbox, Map<String, String> settings, String heap)
            throws IOException {
        this.name = name;
        this.logs = logs;
        this.heap = heap;
        postgres = Network.to(outbox.server().ports());
        this.settings = new HashMap<>(settings);
        this.settings.putAll(outbox.relaySettings(postgres.ports()));
    }

    public String name() {
        return name;
    }

    /** The network between the relay and Postgres. */
    public Network postgres() {
        return postgres;
    }

    /** Starts a relay. No effect while one runs. */
    public synchronized void start() throws IOException {
        if (relay == null) {
            starts++;
            relay = RelayProcess.start(name + "-" + starts, logs, settings, List.of(heap));
        }
    }

    void awaitStarted() throws Exception {
        relay.awaitStarted();
    }

    public synchronized void kill() {
        if (relay != null) {
            relay.close();
            relay = null;
        }
    }

    public synchronized void freeze() throws IOException, InterruptedException {
        if (relay != null) {
            relay.freeze();
        }
    }

    public synchronized void thaw() throws IOException, InterruptedException {
        if (relay != null && relay.isAlive()) {
            relay.thaw();
        }
    }

    /** Whether the relay has ended without a kill. */
    public synchronized boolean hasDied() {
        return relay != null && !relay.isAlive();
    }

    /** Sends SIGTERM, and SIGKILL when the relay does not end in time. Returns whether it ended in time. */
    public synchronized boolean stop(java.time.Duration limit) throws IOException, InterruptedException {
        relay.terminate();
        try {
            relay.exitStatus(limit);
            return true;
        } catch (IllegalStateException e) {
            return false;
        } finally {
            kill();
        }
    }

    @Override
    public void close() throws IOException {
        kill();
        postgres.close();
    }
}
