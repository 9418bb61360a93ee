package dev.caravan.crash;

import dev.caravan.TestKafka;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An outbox, a topic and the relays between them; close ends what is left of the relays. */
final class Stage implements AutoCloseable {
    private final Path routes;
    private final Duration lease;
    private final OutboxTables outbox = OutboxTables.create();
    private final Received received = Received.from(TestKafka.newTopic(3));
    private final List<RelayProcess> relays = new ArrayList<>();
    private final Map<String, String> settings = new HashMap<>();

    Stage(Path folder, Route route, Duration lease) throws Exception {
        this.routes = route.writeTo(folder);
        this.lease = lease;
    }

    OutboxTables outbox() {
        return outbox;
    }

    Received received() {
        return received;
    }

    /** One more setting for the relays started from now on. */
    void set(String setting, String value) {
        settings.put(setting, value);
    }

    RelayProcess startRelay(String name) throws Exception {
        Map<String, String> all = new HashMap<>(outbox.settings());
        all.put("caravan.routes", routes.toString());
        all.put("camel.component.kafka.brokers", TestKafka.brokers());
        all.put("camel.component.outbox.leaseDuration", lease.toMillis() + "ms");
        all.put("crash.topic", received.topic());
        all.putAll(settings);
        RelayProcess relay = RelayProcess.start(name, Path.of("target", "crash"), all);
        relays.add(relay);
        return relay;
    }

    /** Starts a relay that takes the lease, and then another that waits for it. */
    List<RelayProcess> startWorkerAndStandby(String first, String second) throws Exception {
        RelayProcess worker = startRelay(first);
        outbox.awaitOwner(first, Duration.ofSeconds(60));
        RelayProcess standby = startRelay(second);
        standby.awaitStarted();
        return List.of(worker, standby);
    }

    /** Writers that stay a little ahead of what is received. */
    Writers startWriters(int messages, int keys, long seed) throws Exception {
        return Writers.start(outbox, messages, keys, seed, received::messages, Duration.ZERO);
    }

    /** Writers that go on until they are stopped, and leave the processor to the relays. */
    Writers startSlowWriters(int keys, long seed) throws Exception {
        return Writers.start(outbox, Integer.MAX_VALUE, keys, seed, received::messages, Duration.ofMillis(10));
    }

    @Override
    public void close() throws Exception {
        relays.forEach(RelayProcess::close);
        received.close();
        TestKafka.delete(received.topic());
    }
}
