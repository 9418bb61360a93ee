package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class ManyBlockedIT {
    private static final int BLOCKED = 20_000;
    private static final int OTHERS = 5_000;

    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void a_key_with_very_many_blocked_messages_holds_up_no_other_and_drains_in_order() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        TestDestination destination = new TestDestination();
        destination.failIf(arrival -> arrival.key().equals("busy") && broken.get());
        outbox.execute("insert into outbox (aggregate_type, aggregate_id, type, payload)"
                + " select 'order', 'busy', 'order.created', '{\"n\": 1}' from generate_series(1, "
                + BLOCKED
                + ")");
        try (TestRelay relay = TestRelay.startAsShipped(
                outbox, "orders?backoff=200ms&maxBackoff=200ms&maxAttempts=1000", destination)) {
            long started = System.nanoTime();
            eventually(Duration.ofSeconds(60), () -> assertThat(outbox.waiting("orders"))
                    .hasSize(BLOCKED));
            long blocked = System.nanoTime();

            outbox.insertMany(OTHERS, 100);
            eventually(
                    Duration.ofSeconds(30), () -> assertThat(destination.ids()).hasSize(OTHERS));
            long others = System.nanoTime();

            broken.set(false);
            eventually(Duration.ofSeconds(60), () -> assertThat(destination.idsOf("busy"))
                    .isNotEmpty());
            long first = System.nanoTime();
            eventually(Duration.ofSeconds(60), () -> assertThat(destination.idsOf("busy"))
                    .hasSize(BLOCKED));
            long drained = System.nanoTime();

            assertThat(destination.idsOf("busy")).isSorted().doesNotHaveDuplicates();
            eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
            assertThat(outbox.dead("orders")).isEmpty();
            System.out.printf(
                    "Blocked %d behind a failing head at %.0f/s, others meanwhile at %.0f/s, drained at %.0f/s%n",
                    BLOCKED,
                    BLOCKED * 1e9 / (blocked - started),
                    OTHERS * 1e9 / (others - blocked),
                    BLOCKED * 1e9 / (drained - first));
        }
    }
}
