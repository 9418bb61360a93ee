package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A relay whose machine or network fails in the middle of a save leaves a transaction that locks its subscription. */
class HalfSavedTakeoverIT {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch over = new CountDownLatch(1);

    @Test
    void another_relay_takes_over_from_one_that_vanished_in_the_middle_of_a_save() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            TestDestination failing = new TestDestination();
            failing.failIf(arrival -> true);
            TestDestination working = new TestDestination();
            HookedStatement vanishing = new HookedStatement(outbox.pool(), "engine/retry_store");
            vanishing.before(connection -> {
                reached.countDown();
                over.await();
            });
            try (var vanished = TestRelay.start(vanishing, "orders", failing, c -> c.setLeaseDuration(3_000))) {
                long id = outbox.insert("a");
                reached.await();
                try (var successor =
                        TestRelay.start(outbox.pool(), "orders", working, c -> c.setLeaseDuration(3_000))) {
                    eventually(() -> assertThat(working.ids()).containsExactly(id));
                } finally {
                    over.countDown();
                }
            }
        }
    }
}
