package dev.caravan.lab.torture;

import dev.caravan.lab.servers.RelayProcess;
import dev.caravan.lab.servers.TcpProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A place in which one relay runs, and a new one after it was killed. Each process has a name of its own. */
final class RelaySlot implements AutoCloseable {
    private final String name;
    private final Path logs;
    private final Map<String, String> settings;
    private final TcpProxy postgres;
    private RelayProcess relay;
    private int starts;

    RelaySlot(String name, Path logs, TorturedOutbox outbox, Map<String, String> settings) throws IOException {
        this.name = name;
        this.logs = logs;
        postgres = TcpProxy.to(outbox.server().port());
        this.settings = new HashMap<>(settings);
        this.settings.putAll(outbox.relaySettings(postgres.port()));
    }

    String name() {
        return name;
    }

    /** What stands between its relay and Postgres. */
    TcpProxy postgres() {
        return postgres;
    }

    /** No effect while its relay runs. */
    synchronized void start() throws IOException {
        if (relay == null) {
            starts++;
            relay = RelayProcess.start(name + "-" + starts, logs, settings);
        }
    }

    void awaitStarted() throws Exception {
        relay.awaitStarted();
    }

    synchronized void kill() {
        if (relay != null) {
            relay.close();
            relay = null;
        }
    }

    synchronized void freeze() throws IOException, InterruptedException {
        if (relay != null) {
            relay.freeze();
        }
    }

    synchronized void thaw() throws IOException, InterruptedException {
        if (relay != null && relay.isAlive()) {
            relay.thaw();
        }
    }

    /** Whether its relay has ended without having been killed. */
    synchronized boolean hasDied() {
        return relay != null && !relay.isAlive();
    }

    /** SIGTERM; kills a relay that does not end in time, and returns whether it ended by itself. */
    synchronized boolean stop(java.time.Duration limit) throws IOException, InterruptedException {
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
