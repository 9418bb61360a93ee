package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class SaveCostIT {
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void saving_progress_updates_in_place_and_the_outbox_is_never_changed() throws Exception {
        TestDestination destination = new TestDestination();
        try (var relay = TestRelay.start(outbox, "orders?saveInterval=1ms&window=20", destination)) {
            outbox.insertMany(5_000, 100);
            eventually(() -> {
                assertThat(outbox.saved("orders").position()).isEqualTo(5_000);
                assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
            });
        }

        // Sessions report their counts at the latest when they end, so the test closes the pool of the relay.
        outbox.closePools();

        eventually(() -> {
            var subscription = statistics("outbox_subscription");
            assertThat((long) subscription.get("updated")).isGreaterThan(10);
            assertThat(subscription.get("hot")).isEqualTo(subscription.get("updated"));
        });
        for (String table : new String[] {"outbox_from_0", "outbox_default"}) {
            assertThat(statistics(table)).containsAllEntriesOf(Map.of("updated", 0L, "deleted", 0L, "dead", 0L));
        }
    }

    /** How many rows of a table were updated, updated in place (HOT), deleted, and are dead; asked in a session of its own. */
    private Map<String, Object> statistics(String table) {
        return new JdbcTemplate(outbox.unpooled())
                .queryForMap(
                        "select n_tup_upd as updated, n_tup_hot_upd as hot, n_tup_del as deleted, n_dead_tup as dead"
                                + " from pg_stat_user_tables where relname = ?",
                        table);
    }
}
