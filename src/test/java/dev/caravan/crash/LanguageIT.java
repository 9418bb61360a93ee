package dev.caravan.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.lab.servers.Await;
import dev.caravan.lab.servers.RelayProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The language of the machine: Arabic has other digits, and in Turkish the lower case of I is not i. */
@Tag("long")
class LanguageIT {
    private static final Duration LIMIT = Duration.ofSeconds(180);

    @ParameterizedTest
    @ValueSource(strings = {"ar", "tr"})
    void a_relay_delivers_and_reports_in_any_language(String language, @TempDir Path routes) throws Exception {
        try (var stage = new Stage(routes, Route.toKafka(), Duration.ofSeconds(10))) {
            stage.outbox()
                    .execute(
                            "insert into outbox (aggregate_type, aggregate_id, type, payload) select 'account', 'k' || n % 7,"
                                    + " 'account.changed', ('{\"sequence\":' || n / 7 + 1 || '}')::json from generate_series(0, 99) n order by n");
            RelayProcess relay = stage.startRelay(
                    "language-" + language, "-Duser.language=" + language, "-Duser.extensions=nu-arab");

            Await.until("all is acknowledged or the relay is gone", LIMIT, () -> !relay.isAlive() || stage.isDrained());
            Await.until("the relay has reported", LIMIT, () -> "t"
                    .equals(stage.outbox().text("select bool_and(in_flight = 0) from outbox_subscription")));

            assertThat(relay.isAlive()).as(relay.log()).isTrue();
            assertThat(stage.received().all()).hasSize(100);
            assertThat(relay.log()).doesNotContain("ERROR", "does not exist").doesNotContainPattern("[\u0660-\u0669]");
        }
    }
}
