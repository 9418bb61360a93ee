package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import dev.caravan.engine.loop.LaneFailures;
import org.junit.jupiter.api.Test;

/** A message that row-level security hides from the role of the relay looks like one that was rolled back. */
class RowSecurityIT {
    @Test
    void a_message_that_is_hidden_from_the_relay_is_not_taken_for_one_that_was_rolled_back() throws Exception {
        TestDestination destination = new TestDestination();
        try (TestOutbox outbox = TestOutbox.create();
                var pool = outbox.poolOfRoleWithGrants();
                WrittenLog log = WrittenLog.of(LaneFailures.class);
                TestRelay relay = TestRelay.start(pool, "orders", destination)) {
            outbox.insert("a");
            outbox.awaitPassed("orders", 1);
            outbox.execute("alter table outbox enable row level security");
            outbox.execute("create policy only_a on outbox using (aggregate_id = 'a')");
            outbox.insert("b");
            outbox.insert("a");

            eventually(() ->
                    assertThat(log.lines()).anyMatch(line -> line.contains("Could not work subscription orders")));
            outbox.execute("alter table outbox disable row level security");

            eventually(() -> assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L));
        }
    }
}
