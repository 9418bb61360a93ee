package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Relays that come and go share the lanes of a subscription while an application writes. */
@Tag("long")
class LanesIT {
    private static final Duration LEASE = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(180);
    /** As in k8s/base/deployment.yaml. */
    private static final Duration GRACE_PERIOD = Duration.ofSeconds(60);

    private static final int KEYS = 500;
    /** From the kill of a relay to the claim of its lanes: the lease, and the time that a busy machine needs to claim. */
    private static final long TAKEOVER_MILLIS = LEASE.toMillis() * 10;

    @Test
    void relays_that_are_replaced_and_scaled_repeat_nothing_and_those_that_die_lose_nothing(@TempDir Path routes)
            throws Exception {
        try (var stage = new Stage(routes, Route.toKafka().withLanes(5), LEASE)) {
            finishWhatIsInFlight(stage);
            RelayProcess first = stage.startRelay("lanes-1");
            RelayProcess second = stage.startRelay("lanes-2");
            awaitShares(stage, 3, 2);
            try (var writers = stage.startSlowWriters(KEYS, 11)) {
                replace(stage, first, "lanes-3");
                RelayProcess fourth = replace(stage, second, "lanes-4");
                awaitShares(stage, 3, 2);
                stop(fourth);
                awaitShares(stage, 5);
                awaitMore(stage, 100);
                long pause = longestWithoutOwnerMillis(stage);
                DeliveryCheck.of(stage.outbox(), stage.received()).nothingIsRepeated();

                RelayProcess fifth = stage.startRelay("lanes-5");
                RelayProcess sixth = stage.startRelay("lanes-6");
                awaitShares(stage, 2, 2, 1);
                awaitMore(stage, 100);
                fifth.kill();
                awaitShares(stage, 3, 2);
                sixth.freeze();
                awaitShares(stage, 5);
                sixth.thaw();
                awaitShares(stage, 3, 2);
                awaitMore(stage, 100);
                writers.stop();
                System.out.printf(
                        "Lanes: while relays were replaced and scaled, a lane had no owner for %d ms%n", pause);
            }
            DeliveryCheck comparison = stage.awaitComplete();
            assertThat(longestWithoutOwnerMillis(stage))
                    .as("the longest time that a lane had no live owner, in ms")
                    .isLessThan(TAKEOVER_MILLIS);
            System.out.printf(
                    "Lanes: %d messages, %d repeats after a kill and a freeze; a lane had no owner for %d ms at most%n",
                    comparison.committed(), comparison.repeats(), longestWithoutOwnerMillis(stage));
        }
    }

    /** On a busy machine a broker may need longer than the default time limits of a stop, after which messages in flight are given up. */
    private static void finishWhatIsInFlight(Stage stage) {
        stage.set("camel.main.shutdownTimeout", "50");
    }

    /** As a Deployment does: the new relay has started before the old one gets SIGTERM. */
    private static RelayProcess replace(Stage stage, RelayProcess old, String name) throws Exception {
        RelayProcess replacement = stage.startRelay(name);
        replacement.awaitStarted();
        stop(old);
        return replacement;
    }

    private static void stop(RelayProcess relay) throws Exception {
        relay.terminate();
        assertThat(relay.exitStatus(GRACE_PERIOD)).isIn(0, 143);
    }

    @Test
    void the_number_of_lanes_is_changed_while_relays_of_both_kinds_run(@TempDir Path one, @TempDir Path six)
            throws Exception {
        Route.toKafka().withLanes(6).writeTo(six);
        try (var stage = new Stage(one, Route.toKafka(), LEASE)) {
            stage.startRelay("one-lane");
            stage.awaitOwner("one-lane");
            stage.set("caravan.routes", six.toString());
            stage.startRelay("six-lanes-1").awaitStarted();
            stage.startRelay("six-lanes-2").awaitStarted();
            try (var writers = stage.startSlowWriters(KEYS, 13)) {
                awaitMore(stage, 150);
                change(stage, 6);
                awaitShares(stage, 3, 3);
                awaitMore(stage, 150);
                change(stage, 1);
                awaitShares(stage, 1);
                awaitMore(stage, 150);
                writers.stop();
            }
            DeliveryCheck comparison = stage.awaitComplete().nothingIsRepeated();
            System.out.printf("Two changes of lanes: %d messages, no repeats%n", comparison.committed());
        }
    }

    private static void change(Stage stage, int lanes) throws Exception {
        LaneChange change = new LaneChange(stage.outbox().pool(), "crash", lanes, new Actor("test", Optional.empty()));
        Await.until(
                "there are " + lanes + " lanes", LIMIT, () -> change.advance().done());
    }

    /** Waits until running relays own these numbers of lanes, and together all lanes. */
    private static void awaitShares(Stage stage, Integer... lanes) throws Exception {
        String shares = Stream.of(lanes).map(String::valueOf).collect(Collectors.joining(","));
        Await.until(
                "lanes are shared " + shares,
                LIMIT,
                () -> shares.equals(stage.outbox().text("""
                select string_agg(lanes::text, ',' order by lanes desc)
                from (
                    select count(*) as lanes from outbox_subscription
                    where lease_until > clock_timestamp() group by owner
                ) as share
                """)));
    }

    private static void awaitMore(Stage stage, int messages) throws Exception {
        int now = stage.received().messages();
        Await.until(
                messages + " more messages arrive",
                LIMIT,
                () -> stage.received().messages() > now + messages);
    }

    private static long longestWithoutOwnerMillis(Stage stage) throws Exception {
        return Long.parseLong(stage.outbox().text("""
                select coalesce(max(extract(epoch from next.at - ended.at) * 1000)::bigint, 0)
                from (
                    select lane, epoch, max(at) as at
                    from history where epoch > 0 group by lane, epoch
                ) as ended
                join (
                    select lane, epoch, min(at) as at from history group by lane, epoch
                ) as next on next.lane = ended.lane and next.epoch = ended.epoch + 1
                """));
    }
}
