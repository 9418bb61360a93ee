package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGSTOP for longer than the lease, as a long pause of a garbage collection or of a virtual machine would do. */
class FrozenRelayIT {
    private static final String FENCED = "was taken over by another relay";
    private static final Duration LIMIT = Duration.ofSeconds(180);

    @Test
    void a_standby_takes_over_from_a_frozen_relay_which_cannot_acknowledge_when_it_wakes_up(@TempDir Path routes)
            throws Exception {
        Duration lease = Duration.ofSeconds(5); // so long that a busy machine does not lose it as well
        try (var stage = new Stage(routes, Route.toKafka(), lease)) {
            Map<String, RelayProcess> relays = byName(stage.startWorkerAndStandby("worker", "standby"));
            try (var writers = stage.startSlowWriters(100, 1)) {
                Await.until(
                        "some messages have arrived",
                        LIMIT,
                        () -> stage.received().messages() >= 150);

                RelayProcess frozen = freezeOwner(stage, relays);
                RelayProcess standby = relays.get(frozen.name().equals("worker") ? "standby" : "worker");
                Duration takeover = Await.until("the standby holds the lease", LIMIT, () -> standby.name()
                        .equals(stage.owner()));
                stage.received().awaitSentBy(standby, 150);
                frozen.thaw();
                frozen.awaitLog(FENCED, 1);
                long lastId = stage.lastId();
                stage.received().awaitSentBy(standby, stage.received().sentBy(standby.name()) + 150);

                assertThat(takeover).isLessThan(lease.multipliedBy(10)); // a busy machine is slow
                assertThat(stage.owner()).isEqualTo(standby.name());
                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete().nothingWrittenLaterCameFrom(frozen, lastId);
                System.out.printf(
                        "Frozen relay: taken over after %d ms (lease %d ms), %d messages, %d repeats%n",
                        takeover.toMillis(), lease.toMillis(), comparison.committed(), comparison.repeats());
            }
        }
    }

    @Tag("long")
    @Test
    void two_relays_that_freeze_in_turn_lose_nothing_and_never_work_a_lane_together(@TempDir Path routes)
            throws Exception {
        Duration lease = Duration.ofSeconds(3);
        try (var stage = new Stage(routes, Route.toKafka(), lease)) {
            Map<String, RelayProcess> relays = byName(stage.startWorkerAndStandby("fighter-1", "fighter-2"));
            try (var writers = stage.startSlowWriters(100, 2)) {
                for (int round = 0; round < 4; round++) {
                    RelayProcess owner = freezeOwner(stage, relays);
                    int fenced = owner.count(FENCED);
                    Await.until("the other relay holds the lease", LIMIT, () -> !owner.name()
                            .equals(stage.owner()));
                    owner.thaw();
                    owner.awaitLog(FENCED, fenced + 1);
                }
                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete();
                assertThat(stage.epoch()).isGreaterThanOrEqualTo(5);
                System.out.printf(
                        "Two relays in turn: %d epochs, %d messages, %d repeats%n",
                        stage.epoch(), comparison.committed(), comparison.repeats());
            }
        }
    }

    private static Map<String, RelayProcess> byName(List<RelayProcess> relays) {
        return relays.stream().collect(Collectors.toMap(RelayProcess::name, relay -> relay));
    }

    /**
     * Freezes the relay that holds the lease. On a busy machine the lease may move just before that: then the wrong relay would be frozen,
     * and would never be fenced.
     */
    private static RelayProcess freezeOwner(Stage stage, Map<String, RelayProcess> relays) throws Exception {
        while (true) {
            RelayProcess owner = relays.get(awaitWorking(stage));
            owner.freeze();
            if (owner.name().equals(stage.owner())) {
                return owner;
            }
            owner.thaw();
        }
    }

    /** The owner, after it has sent some messages; on a busy machine the lease may move meanwhile. */
    private static String awaitWorking(Stage stage) throws Exception {
        Map<String, Integer> before = new HashMap<>();
        AtomicReference<String> working = new AtomicReference<>();
        Await.until("the owner has sent 60 more records", LIMIT, () -> {
            String owner = stage.owner();
            working.set(owner);
            int sent = stage.received().sentBy(owner);
            return sent >= before.computeIfAbsent(owner, name -> sent) + 200;
        });
        return working.get();
    }
}
