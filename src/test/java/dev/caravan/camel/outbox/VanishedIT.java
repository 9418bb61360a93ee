package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.lane.LaneCounters.Count;
import org.junit.jupiter.api.Test;

/** Somebody deletes a message from the outbox while an attempt of it runs. */
class VanishedIT {
    @Test
    void a_message_that_fails_and_was_deleted_meanwhile_is_counted_and_its_key_continues() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination destination = new TestDestination();
            destination.before(arrival -> {
                if (arrival.id() == 1) {
                    outbox.execute("delete from outbox where id = 1");
                    throw new IllegalStateException("told to fail");
                }
            });
            outbox.insertMany(3, 1);
            try (TestRelay relay = TestRelay.startAsShipped(outbox, "orders", destination)) {
                eventually(() -> assertThat(destination.ids()).containsExactly(2L, 3L));
                outbox.awaitPassed("orders", 3);
                eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
                assertThat(outbox.dead("orders")).isEmpty();
                assertThat(relay.counted(Count.DELETED)).isEqualTo(1);
            }
        }
    }
}
