package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.TestKafka;
import dev.caravan.camel.outbox.TestOutbox;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataAccessResourceFailureException;

/** An outbox, a topic and the relays between them; close ends the relays that still run. */
final class Stage implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(180);

    private final Path routes;
    private final Duration lease;
    private final TestOutbox outbox = TestOutbox.create();
    private final ProgressLog history = ProgressLog.of(outbox);
    private final Received received = Received.from(TestKafka.newTopic(3));
    private final List<RelayProcess> relays = new ArrayList<>();
    private final Map<String, String> settings = new HashMap<>();

    Stage(Path folder, Route route, Duration lease) throws Exception {
        this.routes = route.writeTo(folder);
        this.lease = lease;
    }

    TestOutbox outbox() {
        return outbox;
    }

    ProgressLog history() {
        return history;
    }

    Received received() {
        return received;
    }

    /** One more setting for the relays started from now on. */
    void set(String setting, String value) {
        settings.put(setting, value);
    }

    RelayProcess startRelay(String name, String... jvmOptions) throws Exception {
        Map<String, String> all = new HashMap<>(outbox.connection());
        all.put("caravan.routes", routes.toString());
        all.put("camel.component.kafka.brokers", TestKafka.brokers());
        all.put("camel.component.outbox.leaseDuration", lease.toMillis() + "ms");
        all.put("crash.topic", received.topic());
        all.putAll(settings);
        RelayProcess relay = RelayProcess.start(name, Path.of("target", "crash"), all, List.of(jvmOptions));
        relays.add(relay);
        return relay;
    }

    /** Starts a relay that takes the lease, and then another that waits for it. */
    List<RelayProcess> startWorkerAndStandby(String first, String second) throws Exception {
        RelayProcess worker = startRelay(first);
        awaitOwner(first);
        RelayProcess standby = startRelay(second);
        standby.awaitStarted();
        return List.of(worker, standby);
    }

    /** The relay that holds the lease of the subscription to Kafka, or null. */
    String owner() throws SQLException {
        return outbox.text("select owner from outbox_subscription where name = '" + Route.TO_KAFKA + "'");
    }

    /**
     * Ends the lease of a relay that is dead, unless another relay has taken over. So a test need not wait for the end of a lease that is
     * so long that no relay on a busy machine loses it.
     */
    void endLeaseOf(RelayProcess relay) throws SQLException {
        outbox.execute(
                "update outbox_subscription set lease_until = clock_timestamp() where owner = '" + relay.name() + "'");
    }

    long epoch() throws SQLException {
        String epoch = outbox.text("select epoch from outbox_subscription");
        return epoch == null ? 0 : Long.parseLong(epoch);
    }

    /** Whether every message is acknowledged by every subscription and every missing id is settled. */
    boolean isDrained() throws SQLException {
        try {
            return "t"
                    .equals(outbox.text(
                            "select bool_and(position >= (select coalesce(max(id), 0) from outbox) and isempty(gaps)"
                                    + " and older_gaps is null) from outbox_subscription"));
        } catch (DataAccessResourceFailureException e) {
            return false; // the pool of the test had a connection that the server has ended
        }
    }

    long lastId() throws SQLException {
        return outbox.number("select coalesce(max(id), 0) from outbox");
    }

    void awaitOwner(String relay) throws Exception {
        Await.until(relay + " holds the lease", LIMIT, () -> relay.equals(owner()));
    }

    void awaitDrained() throws Exception {
        Await.until("every message is acknowledged", LIMIT, this::isDrained);
    }

    /** Waits until every message is acknowledged; checks that all arrived in order, and that the progress changed as it may. */
    DeliveryCheck awaitComplete() throws Exception {
        awaitDrained();
        assertThat(history.forbiddenChanges()).isEmpty();
        return DeliveryCheck.of(outbox, received)
                .nothingIsLostAndNothingRolledBackArrived()
                .firstArrivalsAreInOrder();
    }

    /** The number of relays that own this many lanes. */
    long owners(int lanes) throws SQLException {
        return outbox.number(
                "select count(*) from (select owner from outbox_subscription where owner is not null group by owner"
                        + " having count(*) = " + lanes + ") shares");
    }

    /** Writers that stay a little ahead of what is received. */
    BusyApplication startWriters(int messages, int keys, long seed) throws Exception {
        return BusyApplication.start(outbox, messages, keys, seed, received::messages, Duration.ZERO);
    }

    /** Writers that continue until they are stopped, and write so slowly that the relays have enough processor time. */
    BusyApplication startSlowWriters(int keys, long seed) throws Exception {
        return BusyApplication.start(outbox, Integer.MAX_VALUE, keys, seed, received::messages, Duration.ofMillis(100));
    }

    @Override
    public void close() throws Exception {
        relays.forEach(RelayProcess::close);
        received.close();
        TestKafka.delete(received.topic());
        outbox.close();
    }
}
