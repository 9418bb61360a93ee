package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A stop does not wait for the pause of a lane after a failure, which is 10 s here. */
class StopDuringPauseIT {
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @BeforeEach
    void start() throws Exception {
        outbox.execute("alter table outbox rename to other");
        relay = TestRelay.start(
                outbox.pool(), "orders", exchange -> {}, component -> component.setFirstWait(Duration.ofHours(1)));
    }

    @Test
    void a_poll_that_begins_after_the_suspension_does_not_wait() throws Exception {
        OutboxConsumer consumer = consumer();
        eventually(() -> assertThat(consumer.liveness().age()).isGreaterThan(Duration.ofSeconds(1)));
        relay.context().getRouteController().suspendRoute("tested");

        assertThat(CompletableFuture.supplyAsync(() -> poll(consumer) + poll(consumer)) // one may use the wake-up
                        .get(5, TimeUnit.SECONDS))
                .isZero();
    }

    private OutboxConsumer consumer() {
        return (OutboxConsumer) relay.context()
                .getComponent("outbox", OutboxComponent.class)
                .lanes()
                .all()
                .iterator()
                .next();
    }

    private static int poll(OutboxConsumer consumer) {
        try {
            return consumer.poll();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
