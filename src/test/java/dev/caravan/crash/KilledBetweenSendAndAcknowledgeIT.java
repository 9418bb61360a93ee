package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.progress.IdRanges;
import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SIGKILL after Kafka has stored a message and before its relay can have saved that. */
class KilledBetweenSendAndAcknowledgeIT {
    private static final Duration LIMIT = Duration.ofSeconds(180);
    /** Ten keys in turn, five messages each; the third one of the first key has a known id. */
    private static final String WRITE = """
            insert into outbox (message_id, aggregate_type, aggregate_id, type, payload)
            select case n when 20 then '%s'::uuid else gen_random_uuid() end,
                   'account', 'k' || n %% 10, 'account.changed', json_build_object('sequence', %d * 5 + n / 10 + 1)
            from generate_series(0, 49) n order by n
            """;

    @Test
    void a_message_is_repeated_with_the_same_id_when_its_relay_dies_before_it_acknowledges(@TempDir Path routes)
            throws Exception {
        kill(false, 1, 1, routes);
    }

    /** With pipelining the two messages after the held one are in Kafka too, and count only after it: they are repeated. */
    @Tag("long")
    @ParameterizedTest(name = "pipelined={0}")
    @CsvSource({"true, 3, 3", "false, 2, 1"})
    void each_of_several_kills_repeats_only_what_was_not_acknowledged(
            boolean pipelined, int kills, int repeatsOfAKill, @TempDir Path routes) throws Exception {
        kill(pipelined, kills, repeatsOfAKill, routes);
    }

    private static void kill(boolean pipelined, int kills, int repeatsOfAKill, Path routes) throws Exception {
        try (var gate = new GateKeeper();
                var stage = new Stage(routes, Route.withGate(pipelined), Duration.ofSeconds(60))) {
            stage.set("crash.gate", gate.port());
            RelayProcess relay = stage.startRelay("gate-" + pipelined + "-0");
            stage.awaitOwner(relay.name());
            for (int kill = 0; kill < kills; kill++) {
                String held = UUID.randomUUID().toString();
                gate.hold(held);
                stage.outbox().execute(WRITE.formatted(held, kill));
                RelayProcess next = stage.startRelay("gate-" + pipelined + "-" + (kill + 1));
                awaitAllButThreeAcknowledged(stage, relay, gate, kill + 1);
                assertThat(stage.received().all()).anyMatch(a -> a.messageId().equals(held));

                relay.kill();
                stage.endLeaseOf(relay);
                relay = next;
                DeliveryCheck comparison = stage.awaitComplete();
                assertThat(comparison.arrivalsOf(held)).isEqualTo(2);
                assertThat(comparison.repeats()).isEqualTo((kill + 1) * repeatsOfAKill);
            }
        }
    }

    /** The held message and the two of its key after it are in the gaps, everything else is acknowledged. */
    private static void awaitAllButThreeAcknowledged(Stage stage, RelayProcess relay, GateKeeper gate, int held)
            throws Exception {
        Await.until("one message is held and all others but two are acknowledged", LIMIT, () -> {
            relay.requireAlive();
            String gaps = stage.outbox()
                    .text("select gaps::text from outbox_subscription where position = (select max(id) from outbox)");
            return gate.held() == held && gaps != null && IdRanges.parse(gaps).count() == 3;
        });
    }
}
