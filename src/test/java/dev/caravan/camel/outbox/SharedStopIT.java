package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One of several routes of a relay is stopped or suspended, while the relay continues to read for the others. */
class SharedStopIT {

    private final TestDestination stopped = new TestDestination();
    private final TestDestination other = new TestDestination();
    private final CountDownLatch isAsked = new CountDownLatch(1);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void end() {
        mayAnswer.countDown();
    }

    @Test
    void messages_that_the_tail_reads_after_a_route_has_left_it_are_not_passed_by_the_last_turn_of_its_lane()
            throws Exception {
        HookedStatement held = new HookedStatement(outbox.pool(), "engine/retry_keys");
        stopped.failIf(arrival -> arrival.id() == 1);
        try (TestRelay relay = start(held)) {
            outbox.insert("a", "a", "{}");
            eventually(() -> assertThat(outbox.waiting("stopped")).hasSize(1));
            outbox.insert("b", "b", "{}");
            eventually(() -> assertThat(other.ids()).containsExactly(2L));
            Thread.sleep(500); // both follow the tail
            held.before(connection -> {
                isAsked.countDown();
                mayAnswer.await(60, TimeUnit.SECONDS);
            });
            outbox.insert("a", "a", "{}"); // its key is looked up, because a message waits
            assertThat(isAsked.await(60, TimeUnit.SECONDS)).isTrue();
            var stop = CompletableFuture.runAsync(() -> route(relay, "stop"));
            Thread.sleep(500);
            outbox.insert("a", "a", "{}");
            outbox.insert("e", "b", "{}");
            eventually(() -> assertThat(other.ids()).containsExactly(2L, 5L));
            mayAnswer.countDown();
            stop.get(60, TimeUnit.SECONDS);

            stopped.failIf(arrival -> false);
            route(relay, "start");
            eventually(() -> assertThat(stopped.ids()).containsExactly(1L, 3L, 4L));
        }
    }

    @Test
    void another_relay_takes_over_the_lane_of_a_suspended_route() throws Exception {
        try (TestRelay relay = start(outbox.pool())) {
            outbox.insert("a", "a", "{}");
            eventually(() -> assertThat(stopped.ids()).containsExactly(1L));
            route(relay, "suspend");
            TestDestination taken = new TestDestination();
            try (TestRelay second = TestRelay.start(
                    outbox.pool(), "stopped?types=a&lanes=2", taken, component -> component.setLeaseDuration(2_000))) {
                outbox.insert("a", "a", "{}");
                eventually(() -> assertThat(taken.ids()).containsExactly(2L));
            }
            route(relay, "resume");
            outbox.insert("a", "a", "{}");
            eventually(() -> assertThat(stopped.ids()).containsExactly(1L, 3L));
        }
    }

    private static void route(TestRelay relay, String change) {
        try {
            var routes = relay.context().getRouteController();
            switch (change) {
                case "stop" -> routes.stopRoute("stopped");
                case "start" -> routes.startRoute("stopped");
                case "suspend" -> routes.suspendRoute("stopped");
                default -> routes.resumeRoute("stopped");
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private TestRelay start(DataSource source) throws Exception {
        return TestRelay.start(source, component -> component.setLeaseDuration(2_000), routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:stopped?types=a&lanes=2").routeId("stopped").process(stopped);
            routes.from("outbox:other?types=b").routeId("other").process(other);
        });
    }
}
