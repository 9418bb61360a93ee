package dev.caravan.lab.torture.fault;

import dev.caravan.lab.servers.FailoverPostgres;
import dev.caravan.lab.torture.receiver.ChaosReceiver;
import dev.caravan.lab.torture.receiver.HttpReceiver;
import dev.caravan.lab.torture.receiver.MailReceiver;
import dev.caravan.lab.torture.stage.Network;
import dev.caravan.lab.torture.stage.RelaySlot;
import dev.caravan.lab.torture.stage.TortureDestination;
import dev.caravan.lab.torture.stage.TortureStage;
import dev.caravan.lab.torture.stage.TortureWriters;
import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * All faults, drawn in random order. After all have been drawn, they are drawn again in another order. A run of some minutes draws every
 * fault.
 */
final class Faults {
    private static final int TERMINATIONS_A_SECOND = 5;
    /** How often subscriptions are paused, and how often their rows are locked, in each order of all faults. */
    private static final int PAUSES = 5;

    private final TortureStage stage;
    private final Random random;
    private final HeldLock lock;
    private final HeldConnections connections;
    private final FullDisk disk;
    private final Failovers failovers;
    private final List<Supplier<TortureFault>> all;
    private final List<Supplier<TortureFault>> remaining = new ArrayList<>();

    /**
     * @param random the same seed draws the same faults
     * @param longOnes whether the run is long enough for faults of half a minute
     */
    Faults(TortureStage stage, Random random, boolean longOnes) {
        this.stage = stage;
        this.random = random;
        lock = new HeldLock(stage.outbox(), "lock table outbox_subscription in access exclusive mode");
        connections = new HeldConnections(stage.outbox());
        disk = new FullDisk(stage.outbox());
        failovers = new Failovers(stage.outbox(), disk);
        all = new ArrayList<>(List.of(
                this::kill,
                this::kill,
                this::kill,
                this::freeze,
                this::freeze,
                this::freeze,
                this::stopPostgres,
                this::crashPostgres,
                this::exhaustConnections,
                () -> fillDisk(FullDisk.At.progress),
                () -> fillDisk(FullDisk.At.failures),
                () -> fillDisk(FullDisk.At.commit),
                () -> lock(1000, 5000),
                () -> terminate("relays", TorturedOutbox.RELAYS),
                () -> terminate("writers", TortureWriters.NAME),
                () -> terminateOften("relays", TorturedOutbox.RELAYS),
                this::endPresence,
                this::endPresence,
                this::postgresNetwork,
                this::postgresNetwork,
                this::postgresNetwork,
                this::stopKafka,
                () -> network("Kafka", Network.of(stage.kafka().proxy())),
                () -> network("Kafka", Network.of(stage.kafka().proxy())),
                () -> network("HTTP", stage.httpNetwork()),
                () -> network("mail", stage.mailNetwork()),
                () -> http(HttpReceiver.Mode.TOO_MANY),
                () -> http(HttpReceiver.Mode.ERRORS),
                () -> http(HttpReceiver.Mode.SLOW),
                () -> http(HttpReceiver.Mode.ANSWER_LOST),
                () -> chaos(10),
                () -> chaos(50),
                () -> mail(MailReceiver.Mode.UNAVAILABLE),
                () -> mail(MailReceiver.Mode.ERRORS),
                () -> mail(MailReceiver.Mode.CUT),
                () -> mail(MailReceiver.Mode.ANSWER_LOST)));
        if (failovers.arePossible()) {
            all.add(this::failOver);
            all.add(this::splitBrain);
        }
        if (stage.destinations().size() > TortureDestination.USUAL_COUNT) {
            for (int i = 0; i < PAUSES; i++) {
                all.add(this::pause);
                all.add(this::lockRows);
            }
        }
        if (longOnes) {
            all.add(() -> lock(20_000, 21_000));
        }
    }

    /** The failovers so far. */
    Failovers failovers() {
        return failovers;
    }

    TortureFault draw() {
        if (remaining.isEmpty()) {
            remaining.addAll(all);
            Collections.shuffle(remaining, random);
        }
        return remaining.remove(remaining.size() - 1).get();
    }

    /** The topic that is created while the relays run. */
    TortureFault missingTopic(Duration length) {
        return new TortureFault(
                "late topic missing", length, () -> {}, () -> stage.createTopic(TortureDestination.LATE_TOPIC));
    }

    private TortureFault kill() {
        RelaySlot relay = relay();
        return new TortureFault("kill " + relay.name(), millis(300, 1500), relay::kill, relay::start);
    }

    private TortureFault freeze() {
        RelaySlot relay = relay();
        return new TortureFault("freeze " + relay.name(), millis(2500, 5000), relay::freeze, relay::thaw);
    }

    private RelaySlot relay() {
        return stage.relays().get(random.nextInt(stage.relays().size()));
    }

    private TortureFault stopPostgres() {
        FailoverPostgres postgres = stage.outbox().server();
        return new TortureFault("stop Postgres", millis(200, 3000), postgres::stop, postgres::start);
    }

    private TortureFault crashPostgres() {
        FailoverPostgres postgres = stage.outbox().server();
        return new TortureFault("crash Postgres", millis(200, 3000), postgres::crash, postgres::start);
    }

    private TortureFault failOver() {
        Duration lag = millis(0, 3000);
        return new TortureFault(
                "crash Postgres and promote its replica",
                millis(2000, 5000),
                () -> failovers.failOver(lag),
                failovers::restoreReplica);
    }

    private TortureFault splitBrain() {
        Duration lag = millis(0, 2000);
        return new TortureFault(
                "promote the replica while Postgres runs",
                millis(2000, 6000),
                () -> failovers.promote(lag),
                failovers::restoreReplica);
    }

    private TortureFault exhaustConnections() {
        return new TortureFault("hold all connections", millis(2000, 5000), connections::take, connections::release);
    }

    private TortureFault fillDisk(FullDisk.At at) {
        return new TortureFault("disk full for " + at, millis(1500, 5000), () -> disk.fill(at), disk::free);
    }

    private TortureFault lock(int least, int most) {
        return new TortureFault("lock outbox_subscription", millis(least, most), lock::take, lock::release);
    }

    private TortureFault pause() {
        TorturedOutbox outbox = stage.outbox();
        String subscription = subscription();
        return new TortureFault(
                "pause " + subscription,
                millis(500, 5000),
                () -> outbox.pause(subscription, true),
                () -> outbox.pause(subscription, false));
    }

    /** Shorter and longer than a lease. */
    private TortureFault lockRows() {
        String subscription = subscription();
        HeldLock rows = new HeldLock(
                stage.outbox(), "select from outbox_subscription where name = '" + subscription + "' for update");
        return new TortureFault("lock the rows of " + subscription, millis(500, 5000), rows::take, rows::release);
    }

    private String subscription() {
        return stage.destinations()
                .get(random.nextInt(stage.destinations().size()))
                .subscription();
    }

    private TortureFault terminate(String whose, String applications) {
        return TortureFault.moment(
                "end the sessions of " + whose, () -> stage.outbox().terminate(applications));
    }

    private TortureFault terminateOften(String whose, String applications) {
        int times = TERMINATIONS_A_SECOND * (2 + random.nextInt(4));
        return TortureFault.moment("end the sessions of " + whose + " " + times + " times in a row", () -> {
            for (int i = 0; i < times; i++) {
                stage.outbox().terminate(applications);
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos() / TERMINATIONS_A_SECOND);
            }
        });
    }

    /** The leases of the relays are valid, so no relay may take over. */
    private TortureFault endPresence() {
        return TortureFault.moment("end the sessions of presence", stage.outbox()::endPresence);
    }

    private TortureFault postgresNetwork() {
        RelaySlot relay = relay();
        return network("Postgres of " + relay.name(), relay.postgres());
    }

    private TortureFault stopKafka() {
        return new TortureFault("stop Kafka", millis(1000, 3000), stage.kafka()::stop, stage.kafka()::start);
    }

    private TortureFault network(String whose, Network network) {
        int latency = 10 + random.nextInt(150);
        int bytes = 100 + random.nextInt(20_000);
        return switch (random.nextInt(5)) {
            case 0 ->
                new TortureFault(
                        whose + ": latency " + latency + " ms",
                        millis(2000, 5000),
                        () -> network.delay(Duration.ofMillis(latency)),
                        network::pass);
            case 1 -> TortureFault.moment(whose + ": reset", network::reset);
            case 2 -> new TortureFault(whose + ": silent", millis(2000, 6000), network::dropData, network::pass);
            case 3 ->
                new TortureFault(
                        whose + ": cut after " + bytes + " bytes",
                        millis(1000, 4000),
                        () -> network.cutAfter(bytes),
                        network::pass);
            default -> new TortureFault(whose + ": refused", millis(1000, 4000), network::refuse, network::pass);
        };
    }

    private TortureFault http(HttpReceiver.Mode mode) {
        return new TortureFault(
                "HTTP answers: " + mode, millis(1500, 5000), () -> stage.http().behave(mode), () -> stage.http()
                        .behave(HttpReceiver.Mode.HEALTHY));
    }

    private TortureFault chaos(int percent) {
        return new TortureFault(
                "chaos always refuses " + percent + " %",
                millis(2000, 6000),
                () -> stage.chaos().refuse(percent),
                () -> stage.chaos().refuse(ChaosReceiver.MIN_PERCENT));
    }

    private TortureFault mail(MailReceiver.Mode mode) {
        return new TortureFault(
                "mail server answers: " + mode,
                millis(1500, 5000),
                () -> stage.mail().behave(mode),
                () -> stage.mail().behave(MailReceiver.Mode.HEALTHY));
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(least + random.nextInt(most - least));
    }
}
