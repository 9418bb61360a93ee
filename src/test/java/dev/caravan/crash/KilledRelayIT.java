package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.crash.ProgressLog.Saved;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL at random moments while an application writes. With {@code -Dkills=100} more often. */
@Tag("long")
class KilledRelayIT {
    private static final int KILLS = Integer.getInteger("kills", 6);
    private static final Duration LIMIT = Duration.ofSeconds(180);
    private static final int KEYS = 500;
    private static final long SEED = 20260101;
    /** So long that no relay on a busy machine loses it; the test ends the leases of the relays that it kills. */
    private static final Duration LEASE = Duration.ofSeconds(60);

    @Test
    void nothing_is_lost_and_little_is_repeated_when_the_relay_is_killed_again_and_again(@TempDir Path routes)
            throws Exception {
        Random random = new Random(SEED);
        try (var stage = new Stage(routes, Route.toKafka(), LEASE);
                var writers = stage.startWriters(Integer.MAX_VALUE, KEYS, SEED)) {
            kill(stage, KILLS, (owner, kill) -> awaitRandomMoment(stage, owner, random));
            writers.stop();

            DeliveryCheck comparison = stage.awaitComplete();
            List<Saved> ends = stage.history().endsOfEpochs();
            Map<Long, Integer> repeats = comparison.repeatsWereNotAcknowledged(ends);
            assertThat(ends).as("epochs").hasSize(KILLS + 1);
            assertThat(stage.outbox().text("select delivered - (select count(*) from outbox) from outbox_subscription"))
                    .as("what arrived and was not acknowledged is counted when it is delivered again")
                    .isEqualTo("0");
            assertThat(relaysThatAcknowledged(ends.subList(0, KILLS)))
                    .as("relays that acknowledged some messages before they were killed")
                    .isGreaterThanOrEqualTo(KILLS / 3);
            System.out.printf(
                    "%d kills, %d messages, %d repeats, by epoch: %s%n",
                    KILLS, comparison.committed(), comparison.repeats(), repeats);
        }
    }

    @Test
    void nothing_is_lost_when_a_relay_that_sends_batches_to_kafka_and_over_http_is_killed(@TempDir Path routes)
            throws Exception {
        Random random = new Random(SEED);
        try (var requests = new ReceivedRequests();
                var stage = new Stage(routes, Route.inBatches(), LEASE);
                var writers = stage.startWriters(Integer.MAX_VALUE, KEYS, SEED)) {
            stage.set("crash.url", requests.url());
            kill(stage, 3, (owner, kill) -> {
                if (kill == 1) {
                    requests.awaitSentBy(owner, 1 + random.nextInt(1_000));
                } else {
                    awaitRandomMoment(stage, owner, random);
                }
            });
            writers.stop();

            stage.awaitComplete().repeatsWereNotAcknowledged(stage.history().endsOfEpochs());
            DeliveryCheck.of(stage.outbox(), requests.all())
                    .nothingIsLostAndNothingRolledBackArrived()
                    .firstArrivalsAreInOrder()
                    .repeatsWereNotAcknowledged(stage.history().endsOfEpochs(Route.TO_HTTP));
            assertThat(requests.largest()).as("lines of the largest request").isGreaterThan(1);
        }
    }

    /** On an idle machine all but those that were killed at once; a busy one kills some before their first save. */
    private static int relaysThatAcknowledged(List<Saved> ends) {
        int relays = 0;
        long before = 0;
        for (Saved end : ends) {
            if (end.acknowledged() > before) {
                relays++;
            }
            before = end.acknowledged();
        }
        return relays;
    }

    /** The moment at which the owner of the lease is killed. */
    private interface Moment {
        void await(RelayProcess owner, int kill) throws Exception;
    }

    /** Kills the owner again and again, while another relay waits; returns when the last one has sent some messages. */
    private static void kill(Stage stage, int kills, Moment moment) throws Exception {
        Map<String, RelayProcess> relays = new HashMap<>();
        for (int kill = 0; kill < kills; kill++) {
            start(stage, "killed-" + kill, relays); // the one that takes over after the next kill, if not this one
            RelayProcess owner = awaitOwner(stage, relays);
            moment.await(owner, kill);
            owner.kill();
            stage.endLeaseOf(relays.remove(owner.name()));
        }
        start(stage, "killed-never", relays);
        stage.received().awaitSentBy(awaitOwner(stage, relays), 1_000);
    }

    private static void start(Stage stage, String name, Map<String, RelayProcess> relays) throws Exception {
        relays.put(name, stage.startRelay(name));
    }

    /** The running relay that owns the lease. Of two relays that wait for it, any can be the next. */
    private static RelayProcess awaitOwner(Stage stage, Map<String, RelayProcess> relays) throws Exception {
        Await.until("a living relay holds the lease", LIMIT, () -> {
            for (RelayProcess relay : relays.values()) {
                relay.requireAlive();
            }
            return relays.containsKey(stage.owner());
        });
        return relays.get(stage.owner());
    }

    /** One time in five just when the relay has taken the lease, else after up to 1,000 records. */
    private static void awaitRandomMoment(Stage stage, RelayProcess relay, Random random) throws Exception {
        if (random.nextInt(5) > 0) {
            stage.received().awaitSentBy(relay, 1 + random.nextInt(1_000));
        }
    }
}
