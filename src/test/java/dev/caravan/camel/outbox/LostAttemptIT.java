package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.headers.OutboxConstants;
import dev.caravan.engine.lane.LaneSnapshot;
import dev.caravan.engine.schedule.Delivery;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.AsyncCallback;
import org.apache.camel.Exchange;
import org.apache.camel.support.AsyncProcessorSupport;
import org.junit.jupiter.api.Test;

/** An error ends a thread of a component, and Camel never completes the exchange of the attempt. */
class LostAttemptIT {
    private final TestDestination destination = new TestDestination();
    private final Map<Long, Delivery> deliveries = new ConcurrentHashMap<>();
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void an_attempt_that_never_ends_is_known_with_its_step_and_holds_up_its_key_only() throws Exception {
        Tracing noted = (subscription, delivery, in) -> {
            deliveries.put(delivery.message().id(), delivery);
            return result -> {};
        };
        TestRelay relay = TestRelay.start(
                outbox.pool(), component -> component.setTracing(noted), routes -> routes.from("outbox:orders")
                        .to("mock:sent?retainLast=1")
                        .choice()
                        .when(routes.header(OutboxConstants.AGGREGATE_ID).isEqualTo("lost"))
                        .process(new NeverEnding())
                        .otherwise()
                        .process(destination));
        relay.context().getShutdownStrategy().setTimeout(1); // the attempt does not end before it
        outbox.insert("lost");
        outbox.insert("lost");
        outbox.insert("other");

        eventually(() -> assertThat(destination.ids()).containsExactly(3L));
        eventually(() -> assertThat(snapshot(relay).longestAttempt()).isGreaterThan(Duration.ofMillis(200)));
        assertThat(deliveries.get(1L).step()).isEqualTo("mock://sent");
        assertThat(deliveries.get(3L).step()).isEmpty();
    }

    private static LaneSnapshot snapshot(TestRelay relay) {
        OutboxComponent component = relay.context().getComponent("outbox", OutboxComponent.class);
        return component.lanes().all().iterator().next().snapshot().orElseThrow();
    }

    private static final class NeverEnding extends AsyncProcessorSupport {
        @Override
        public boolean process(Exchange exchange, AsyncCallback callback) {
            return false;
        }
    }
}
