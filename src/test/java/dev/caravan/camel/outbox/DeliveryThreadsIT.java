package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.engine.lane.Lane;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.NoErrorHandlerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The subscriptions of a relay share the threads that deliver, and none has one without a message. */
class DeliveryThreadsIT {
    private static final int SUBSCRIPTIONS = 8;

    private final TestOutbox outbox = TestOutbox.create();
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private TestRelay relay;

    @AfterEach
    void end() {
        mayEnd.countDown();
    }

    @Test
    void subscriptions_without_messages_have_no_thread_and_start_one_named_after_them() throws Exception {
        Set<String> names = ConcurrentHashMap.newKeySet();
        start(routes -> IntStream.range(0, SUBSCRIPTIONS).forEach(number -> routes.from("outbox:idle-" + number)
                .routeId("idle-" + number)
                .process(exchange -> names.add(Thread.currentThread().getName().replaceFirst(".* - ", "")))));
        eventually(() -> assertThat(outbox.number("select count(*) from outbox_subscription where owner is not null"))
                .isEqualTo(SUBSCRIPTIONS));
        assertThat(delivering()).isZero();

        outbox.insert("a");

        eventually(() -> assertThat(names)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, SUBSCRIPTIONS)
                        .mapToObj(number -> "outbox-idle-" + number)
                        .toList()));
        eventually(() -> assertThat(delivering()).isZero());
    }

    private static long delivering() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().equals(Deliverer.class.getName())
                                || frame.getClassName().equals(Lane.class.getName())
                                        && frame.getMethodName().equals("next")))
                .count();
    }

    @Test
    void a_slow_destination_takes_no_thread_of_another_and_its_stop_interrupts_none() throws Exception {
        Set<Long> slow = ConcurrentHashMap.newKeySet();
        TestDestination other = new TestDestination();
        start(routes -> {
            routes.errorHandler(new NoErrorHandlerBuilder());
            routes.from("outbox:slow?concurrency=3").routeId("slow").process(exchange -> {
                slow.add(exchange.getMessage().getHeader("outbox-id", Long.class));
                mayEnd.await();
            });
            routes.from("outbox:other?concurrency=2").routeId("other").process(other);
        });
        outbox.insertMany(20, 20);
        eventually(() -> {
            assertThat(slow).hasSize(3);
            assertThat(other.ids()).hasSize(20);
        });
        other.before(arrival -> mayEnd.await());
        outbox.insertMany(2, 2);

        relay.context().getRouteController().stopRoute("slow", 1, TimeUnit.SECONDS);
        mayEnd.countDown();

        outbox.awaitPassed("other", 22);
        assertThat(other.ids()).hasSize(22).doesNotHaveDuplicates();
        assertThat(other.failedIds()).isEmpty();
        assertThat(slow).hasSize(3);
    }

    private void start(LambdaRouteBuilder routes) throws Exception {
        relay = TestRelay.start(outbox.pool(), routes);
    }
}
