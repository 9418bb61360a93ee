package dev.caravan.lab.torture;

import dev.caravan.base.text.Formatted;
import dev.caravan.lab.servers.FailoverPostgres.Replication;
import dev.caravan.lab.torture.fault.Failovers;
import dev.caravan.lab.torture.fault.FaultPlan;
import dev.caravan.lab.torture.receiver.Arrival;
import dev.caravan.lab.torture.receiver.WrittenMessage;
import dev.caravan.lab.torture.stage.RecordedChanges.Movement;
import dev.caravan.lab.torture.stage.RelaySlot;
import dev.caravan.lab.torture.stage.TortureDestination;
import dev.caravan.lab.torture.stage.TortureStage;
import dev.caravan.lab.torture.stage.TortureWriters;
import dev.caravan.lab.torture.stage.TorturedOutbox;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.springframework.util.FileSystemUtils;

/** One run: faults while an application writes, then a time without faults, then the checks. */
final class Torture {
    /** The longest wait for the next probe of a destination (30 s), and some time to drain. */
    private static final Duration MIN_DRAIN_LIMIT = Duration.ofSeconds(90);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    /** The time that each thread of the application waits after a transaction in the usual run. */
    private static final Duration PAUSE = Duration.ofMillis(12);
    /** With more subscriptions: the slow destinations must be able to take all messages soon after the faults. */
    private static final Duration LONG_PAUSE = Duration.ofMillis(240);

    /** The time that each thread of the application waits after a transaction. */
    static Duration pause(int subscriptions) {
        return subscriptions == TortureDestination.USUAL_COUNT ? PAUSE : LONG_PAUSE;
    }

    private final Path work;
    private final int subscriptions;
    private final Duration pause;
    private final Consumer<String> progress;

    /**
     * @param work an empty folder for data, routes and logs
     * @param subscriptions the number of subscriptions, at least {@link TortureDestination#USUAL_COUNT}
     * @param pause the time that each thread of the application waits after a transaction
     * @param progress receives a line for each event
     */
    Torture(Path work, int subscriptions, Duration pause, Consumer<String> progress) {
        this.work = work;
        this.subscriptions = subscriptions;
        this.pause = pause;
        this.progress = progress;
    }

    /** Runs faults and checks. Removes the folder if every invariant holds; otherwise the folder is kept with the evidence. */
    List<Invariant> run(Duration length, long seed, Replication replication) throws Exception {
        progress.accept((replication == Replication.OFF ? "Starting Postgres" : "Starting Postgres with a replica")
                + ", Kafka, two HTTP destinations, a mail server and two relays (their logs: " + work + ") ...");
        List<Invariant> invariants = runFaults(length, seed, replication);
        if (invariants.stream().allMatch(Invariant::holds)) {
            FileSystemUtils.deleteRecursively(work);
        }
        return invariants;
    }

    private List<Invariant> runFaults(Duration length, long seed, Replication replication) throws Exception {
        try (TortureStage stage = new TortureStage(work, replication, subscriptions)) {
            FaultPlan plan = new FaultPlan(stage, seed, length, progress);
            Map<String, Long> acknowledged;
            try (TortureWriters writers = TortureWriters.start(stage.outbox(), seed, pause)) {
                plan.run();
                writers.stop(STOP_LIMIT);
                acknowledged = writers.acknowledged();
            }
            stage.outbox().resumeAll();
            progress.accept("No more faults. Waiting for the backlog to reach zero ...");
            Drain drain = drain(stage, MIN_DRAIN_LIMIT.plus(length.dividedBy(2)));
            return check(stage, plan, drain, acknowledged);
        }
    }

    /** The result of the time without faults. */
    private record Drain(Duration limit, Duration drained, long backlog, List<String> failedRelays) {}

    private static Drain drain(TortureStage stage, Duration limit) throws Exception {
        long began = System.nanoTime();
        long backlog = stage.outbox().backlog();
        while (backlog > 0 && System.nanoTime() - began < limit.toNanos()) {
            LockSupport.parkNanos(50_000_000);
            backlog = stage.outbox().backlog();
        }
        Duration drained = Duration.ofNanos(System.nanoTime() - began);
        List<String> failed = new ArrayList<>();
        for (RelaySlot relay : stage.relays()) {
            if (relay.hasDied()) {
                failed.add(relay.name() + " ended by itself");
            } else if (!relay.stop(STOP_LIMIT)) {
                failed.add(relay.name() + " did not stop within " + STOP_LIMIT.toSeconds() + " s");
            }
        }
        return new Drain(limit, drained, backlog, failed);
    }

    private List<Invariant> check(TortureStage stage, FaultPlan plan, Drain drain, Map<String, Long> acknowledged)
            throws Exception {
        TorturedOutbox outbox = stage.outbox();
        List<WrittenMessage> messages = outbox.messages();
        Invariants invariants = new Invariants(messages);
        Invariants ofChaos = new Invariants(stage.chaos().withRefusals(messages));
        long epochs = 0;
        for (TortureDestination destination : stage.destinations()) {
            SubscriptionHistory history = SubscriptionHistory.of(outbox, destination);
            check(destination == TortureDestination.CHAOS ? ofChaos : invariants, destination, stage, history, plan);
            epochs += history.epochs();
        }
        List<Arrival> elsewhere = new ArrayList<>(stage.arrivals(TortureDestination.KAFKA));
        elsewhere.addAll(stage.arrivals(TortureDestination.HTTP));
        ofChaos.arrivalsContinue(TortureDestination.CHAOS, stage.arrivals(TortureDestination.CHAOS), elsewhere);
        invariants.addAll(ofChaos);
        invariants.nobodyAcknowledgesAfterLosingTheLease(
                epochs, outbox.changes().forbiddenChanges());
        invariants.holds(
                "backlog reaches zero after the faults",
                "%,d faults; %.1f s, limit %d s"
                        .formatted(
                                plan.begun(),
                                drain.drained().toMillis() / 1000.0,
                                drain.limit().toSeconds()),
                drain.backlog() == 0
                        ? List.of()
                        : List.of(Formatted.counted(drain.backlog(), "message") + " or missing ids left"));
        if (plan.failovers().arePossible()) {
            invariants.holds(
                    "failovers",
                    "%,d; committed only by a former primary: %s"
                            .formatted(
                                    plan.failovers().all().size(),
                                    Formatted.counted(plan.failovers().lost().size(), "message")),
                    List.of());
        }
        if (stage.outbox().server().replication() != Replication.ASYNC) {
            invariants.acknowledgedCommitsSurvive(acknowledged);
        }
        invariants.holds(
                "relays survive faults and stop on SIGTERM",
                Formatted.counted(stage.relays().size(), "relay") + ", "
                        + drain.failedRelays().size() + " did not",
                drain.failedRelays());
        invariants.noPayloadIsLogged(logs());
        if (!invariants.found().stream().allMatch(Invariant::holds)) {
            writeEvidence(stage, plan);
        }
        return invariants.found();
    }

    private static void check(
            Invariants invariants,
            TortureDestination destination,
            TortureStage stage,
            SubscriptionHistory history,
            FaultPlan plan)
            throws Exception {
        TorturedOutbox outbox = stage.outbox();
        Failovers failovers = plan.failovers();
        Set<String> lost = failovers.lost();
        List<Arrival> arrivals = stage.arrivals(destination).stream()
                .filter(arrival -> !lost.contains(arrival.messageId()))
                .toList();
        invariants.nothingIsLost(destination, arrivals);
        invariants.nothingRolledBackArrives(destination, arrivals, outbox.rolledBack());
        invariants.nothingElseArrives(destination, arrivals);
        invariants.repeatsHaveTheSameId(destination, arrivals);
        invariants.repeatsAreExplained(
                destination, arrivals, history, plan.begun() + history.epochs(), failovers.thatLoseSaves());
        if (destination.repeatsRestoreOrder()) {
            invariants.eachKeyArrivesInOrder(destination, arrivals);
            invariants.lastArrivalsAreInOrder(destination, arrivals, history);
        } else if (destination.isOrdered()) {
            invariants.firstArrivalsAreInOrder(destination, arrivals);
        }
        if (destination.isStrict()) {
            invariants.allAreInOrder(destination, arrivals);
        }
        String subscription = destination.subscription();
        invariants.deadLettersAreComplete(
                destination, outbox.unchangedDeadLetters(subscription), entered(outbox, subscription));
    }

    private List<String> logs() throws IOException {
        List<String> lines = new ArrayList<>();
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(work, "*.log")) {
            for (Path log : logs) {
                lines.addAll(Files.readAllLines(log));
            }
        }
        return lines;
    }

    /** Writes the evidence into the folder of the relay logs. */
    private void writeEvidence(TortureStage stage, FaultPlan plan) throws Exception {
        TorturedOutbox outbox = stage.outbox();
        write("messages", outbox.messages());
        write("side-tables", outbox.changes().movements());
        write("lost-messages", List.copyOf(plan.failovers().lost()));
        write("failovers", plan.failovers().all());
        for (TortureDestination destination : stage.destinations()) {
            String subscription = destination.subscription();
            for (int lane = 0; lane < destination.lanes(); lane++) {
                write("history-" + subscription + "-" + lane, outbox.changes().history(subscription, lane));
            }
            write("dead-letters-" + subscription, outbox.deadLetters(subscription));
            write("arrivals-" + subscription, stage.arrivals(destination));
        }
    }

    private void write(String name, List<?> lines) throws IOException {
        Files.write(
                work.resolve(name + ".txt"),
                lines.stream().map(Object::toString).toList());
    }

    private static Map<Long, Integer> entered(TorturedOutbox outbox, String subscription) throws Exception {
        Map<Long, Integer> entered = new HashMap<>();
        for (Movement movement : outbox.changes().movements()) {
            if (movement.subscription().equals(subscription)
                    && movement.table().equals("outbox_dead_letter")
                    && movement.entered()) {
                entered.merge(movement.id(), 1, Integer::sum);
            }
        }
        return entered;
    }
}
