package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SlowMessageIT {
    @Test
    void one_message_that_takes_long_delays_neither_the_others_nor_their_progress() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        TestDestination destination = new TestDestination();
        destination.before(arrival -> {
            if (arrival.id() == 1) {
                answer.await();
            }
        });
        try (TestOutbox outbox = TestOutbox.create();
                var relay = TestRelay.start(outbox, "orders?window=1000&concurrency=2", destination)) {
            outbox.insertMany(500, 500);
            eventually(() -> assertThat(destination.ids()).hasSize(499));
            outbox.insertMany(500, 500); // later reads go on too

            eventually(() -> {
                assertThat(destination.ids()).hasSize(998).doesNotContain(1L); // 501 is of the same key
                assertThat(outbox.saved("orders").position()).isEqualTo(1000);
                assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[1,2),[501,502)}");
            });

            answer.countDown();
            eventually(() -> assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue());
            assertThat(destination.ids()).hasSize(1000).endsWith(1L, 501L).doesNotHaveDuplicates();
        }
    }
}
