package dev.caravan.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SaveCostTest {
    @Test
    void saving_progress_updates_in_place_and_the_outbox_is_never_changed() throws Exception {
        Destination destination = new Destination();
        try (TestOutbox outbox = TestOutbox.create()) {
            try (var relay = TestRelay.start(outbox, "orders?saveInterval=1&batchSize=10&window=20", destination)) {
                outbox.insertMany(1_000, 100);
                eventually(() -> {
                    assertThat(outbox.saved("orders").position()).isEqualTo(1_000);
                    assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
                });
            }

            // Sessions report their counts when they end at the latest; the pool of the relay is closed by hand.
            outbox.closePools();

            eventually(() -> {
                var subscription = outbox.statistics("outbox_subscription");
                assertThat(subscription.get("updated")).isGreaterThan(50);
                assertThat(subscription.get("hot")).isEqualTo(subscription.get("updated"));
            });
            for (String table : new String[] {"outbox_from_0", "outbox_default"}) {
                assertThat(outbox.statistics(table))
                        .containsAllEntriesOf(Map.of("updated", 0L, "deleted", 0L, "dead", 0L));
            }
        }
    }
}
