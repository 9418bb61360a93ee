package dev.caravan.torture;

import dev.caravan.torture.TorturedOutbox.Movement;
import java.io.IOException;
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

/** One run: faults for a time while an application writes, then a rest, then the count. */
final class Torture {
    /** The longest wait for the next probe of a destination (30 s), and time to drain. */
    private static final Duration DRAIN_LIMIT = Duration.ofSeconds(60);

    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Path work;
    private final Path shippedRoutes;
    private final Consumer<String> progress;

    /**
     * @param work an empty folder for routes and logs
     * @param shippedRoutes the folder of the shipped routes
     * @param progress is told what happens
     */
    Torture(Path work, Path shippedRoutes, Consumer<String> progress) {
        this.work = work;
        this.shippedRoutes = shippedRoutes;
        this.progress = progress;
    }

    List<Invariant> run(Duration length, long seed) throws Exception {
        progress.accept("Starting Postgres, Kafka, an HTTP destination and two relays (their logs: " + work + ") ...");
        try (Stage stage = new Stage(work, shippedRoutes)) {
            FaultPlan plan = new FaultPlan(stage, seed, length, progress);
            try (Writers writers = Writers.start(stage.outbox(), seed)) {
                plan.run();
                writers.stop(STOP_LIMIT);
            }
            progress.accept("No more faults. Waiting for the backlog to reach zero ...");
            Rest rest = rest(stage);
            return check(stage, plan, rest);
        }
    }

    /** How it went when the faults were over. */
    private record Rest(Duration drained, long backlog, List<String> troubledRelays) {}

    private static Rest rest(Stage stage) throws Exception {
        long began = System.nanoTime();
        long backlog = stage.outbox().backlog();
        while (backlog > 0 && System.nanoTime() - began < DRAIN_LIMIT.toNanos()) {
            LockSupport.parkNanos(50_000_000);
            backlog = stage.outbox().backlog();
        }
        Duration drained = Duration.ofNanos(System.nanoTime() - began);
        List<String> troubled = new ArrayList<>();
        for (RelaySlot relay : stage.relays()) {
            if (relay.hasDied()) {
                troubled.add(relay.name() + " ended by itself");
            } else if (!relay.stop(STOP_LIMIT)) {
                troubled.add(relay.name() + " did not stop within " + STOP_LIMIT.toSeconds() + " s");
            }
        }
        return new Rest(drained, backlog, troubled);
    }

    private List<Invariant> check(Stage stage, FaultPlan plan, Rest rest) throws Exception {
        TorturedOutbox outbox = stage.outbox();
        SubscriptionHistory kafkaHistory = SubscriptionHistory.of(outbox, Routes.KAFKA);
        SubscriptionHistory httpHistory = SubscriptionHistory.of(outbox, Routes.HTTP);
        List<Arrival> kafka = stage.kafkaArrivals();
        List<Arrival> http = stage.http().all();
        long rolledBack = outbox.rolledBack();

        Invariants invariants = new Invariants(outbox.messages());
        invariants.nothingIsLost("Kafka", kafka, Set.of(Kind.values()));
        invariants.nothingIsLost("HTTP", http, Set.of(Kind.plain, Kind.failing));
        invariants.nothingRolledBackArrives("Kafka", kafka, rolledBack);
        invariants.nothingRolledBackArrives("HTTP", http, rolledBack);
        invariants.repeatsCarryTheSameId("Kafka", kafka);
        invariants.repeatsCarryTheSameId("HTTP", http);
        invariants.repeatsAreExplained(
                "Kafka", kafka, kafkaHistory, Routes.WINDOW, plan.begun() + kafkaHistory.epochs());
        invariants.repeatsAreExplained(
                "HTTP", http, httpHistory, Routes.CONCURRENCY, plan.begun() + httpHistory.epochs());
        invariants.eachKeyArrivesInOrder("Kafka", kafka);
        invariants.lastArrivalsAreInOrder("Kafka", kafka, kafkaHistory);
        invariants.firstArrivalsAreInOrder("HTTP", http);
        invariants.deadLettersAreConserved(
                "HTTP", outbox.unchangedDeadLetters(Routes.HTTP), entered(outbox, Routes.HTTP), http);
        List<String> unexpected = outbox.deadLetters(Routes.KAFKA);
        invariants.holds("Kafka: nothing is dead", "%,d dead letters".formatted(unexpected.size()), unexpected);
        invariants.nobodyAcknowledgesAfterLosingTheLease(
                kafkaHistory.epochs() + httpHistory.epochs(), outbox.forbiddenChanges());
        invariants.holds(
                "backlog reaches zero after the faults",
                "%.1f s, limit %d s".formatted(rest.drained().toMillis() / 1000.0, DRAIN_LIMIT.toSeconds()),
                rest.backlog() == 0 ? List.of() : List.of(rest.backlog() + " messages or missing ids are left"));
        invariants.holds(
                "relays live through faults and stop when asked",
                stage.relays().size() + " relays, " + rest.troubledRelays().size() + " did not",
                rest.troubledRelays());
        if (!invariants.found().stream().allMatch(Invariant::holds)) {
            keep("messages.txt", outbox.messages());
            keep("side-tables.txt", outbox.movements());
            keep("history-http.txt", outbox.history(Routes.HTTP));
            keep("history-kafka.txt", outbox.history(Routes.KAFKA));
            keep("arrivals-http.txt", http);
            keep("arrivals-kafka.txt", kafka);
        }
        return invariants.found();
    }

    /** Evidence, beside the logs of the relays. */
    private void keep(String file, List<?> lines) throws IOException {
        Files.write(work.resolve(file), lines.stream().map(Object::toString).toList());
    }

    private static Map<Long, Integer> entered(TorturedOutbox outbox, String subscription) throws Exception {
        Map<Long, Integer> entered = new HashMap<>();
        for (Movement movement : outbox.movements()) {
            if (movement.subscription().equals(subscription)
                    && movement.table().equals("outbox_dead_letter")
                    && movement.entered()) {
                entered.merge(movement.id(), 1, Integer::sum);
            }
        }
        return entered;
    }
}
