package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM, as on each deployment. */
@Tag("long")
class TerminatedRelayIT {
    private static final Duration LIMIT = Duration.ofSeconds(180);
    private static final String WRITE_ONE = """
            insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)
            values ('%s', 'account', 'k1', 'account.changed', '{"sequence":1}')
            """;

    @Test
    void a_terminated_relay_hands_over_at_once_and_nothing_is_repeated(@TempDir Path routes) throws Exception {
        Duration lease = Duration.ofSeconds(30); // so that only a release can explain a quick takeover
        try (var stage = new Stage(routes, Route.toKafka(), lease)) {
            List<RelayProcess> relays = stage.startWorkerAndStandby("terminated", "successor");
            RelayProcess terminated = relays.get(0);
            RelayProcess successor = relays.get(1);
            try (var writers = stage.startWriters(1_000_000, 100, 3)) {
                stage.received().awaitSentBy(terminated, 500);

                long began = System.nanoTime();
                terminated.terminate();
                int status = terminated.exitStatus(LIMIT);
                Duration ended = Duration.ofNanos(System.nanoTime() - began);
                stage.awaitOwner(successor.name());
                stage.received().awaitSentBy(successor, 500);

                assertThat(status).isIn(0, 143);
                assertThat(takeoverMillis(stage)).isBetween(0L, lease.toMillis() / 3);
                writers.stop();
                DeliveryCheck comparison = stage.awaitComplete().nothingIsRepeated();
                System.out.printf(
                        "Terminated relay: ended after %d ms with status %d, lease taken %d ms after its release, %d messages%n",
                        ended.toMillis(), status, takeoverMillis(stage), comparison.committed());
            }
        }
    }

    @Test
    void a_delivery_that_outlasts_the_lease_is_not_repeated_when_its_relay_is_terminated(@TempDir Path routes)
            throws Exception {
        Duration lease = Duration.ofSeconds(5);
        String messageId = UUID.randomUUID().toString();
        try (var gate = new GateKeeper();
                var stage = new Stage(routes, Route.withGate(false), lease)) {
            stage.set("crash.gate", gate.port());
            stage.set("camel.main.shutdownTimeout", "50"); // longer than the delivery
            gate.hold(messageId);
            List<RelayProcess> relays = stage.startWorkerAndStandby("slow", "slow-successor");
            stage.outbox().execute(WRITE_ONE.formatted(messageId));
            Await.until("the delivery has begun", LIMIT, () -> gate.held() == 1);

            relays.get(0).terminate();
            awaitTwoLeasesOrAnotherOwner(stage, lease);
            gate.release();

            assertThat(relays.get(0).exitStatus(LIMIT)).isIn(0, 143);
            stage.awaitComplete().nothingIsRepeated();
            stage.awaitOwner("slow-successor");
        }
    }

    private static void awaitTwoLeasesOrAnotherOwner(Stage stage, Duration lease) throws Exception {
        String now = stage.outbox().text("select clock_timestamp()");
        String passed =
                "select epoch > 1 or lease_until > '%s'::timestamptz + interval '%d ms' from outbox_subscription"
                        .formatted(now, 3 * lease.toMillis());
        Await.until(
                "two leases have passed", LIMIT, () -> "t".equals(stage.outbox().text(passed)));
    }

    /** The time between the release of the lease and the next claim; fails if it was not released. */
    private static long takeoverMillis(Stage stage) throws Exception {
        String millis = stage.outbox().text("""
                select round(extract(epoch from claimed.at - released.at) * 1000)
                from history released join history claimed on claimed.n = released.n + 1
                where released.owner is null and released.epoch = 1 and claimed.owner is not null
                """);
        assertThat(millis).as("the lease was released").isNotNull();
        return Long.parseLong(millis);
    }
}
