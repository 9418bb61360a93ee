package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.WrittenLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.camel.CamelContext;
import org.apache.camel.Route;
import org.apache.camel.builder.LambdaRouteBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.support.RoutePolicySupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A route that is stopped, suspended or replaced while it delivers a message, and continues later. */
class RouteStoppedMeanwhileIT {
    /** What a person or a live reload does to the route. */
    private enum Change {
        STOP_AND_START {
            @Override
            void make(CamelContext camel, LambdaRouteBuilder route) throws Exception {
                camel.getRouteController().stopRoute("tested");
                camel.getRouteController().startRoute("tested");
            }
        },
        SUSPEND_AND_RESUME {
            @Override
            void make(CamelContext camel, LambdaRouteBuilder route) throws Exception {
                camel.getRouteController().suspendRoute("tested");
                camel.getRouteController().resumeRoute("tested");
            }
        },
        REPLACE {
            @Override
            void make(CamelContext camel, LambdaRouteBuilder route) throws Exception {
                camel.getRouteController().stopRoute("tested");
                camel.removeRoute("tested");
                RouteBuilder.addRoutes(camel, route);
            }
        };

        abstract void make(CamelContext camel, LambdaRouteBuilder route) throws Exception;
    }

    private final TestDestination destination = new TestDestination();
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final TestOutbox outbox = TestOutbox.create();
    private final LambdaRouteBuilder route = routes ->
            routes.from("outbox:orders?concurrency=1").routeId("tested").process(destination);
    private TestRelay relay;

    @AfterEach
    void close() throws Exception {
        mayEnd.countDown();
    }

    @ParameterizedTest
    @EnumSource(names = "REPLACE")
    void the_message_in_flight_arrives_once_and_the_others_follow(Change change) throws Exception {
        destination.before(arrival -> {
            arrived.countDown();
            assertThat(mayEnd.await(60, TimeUnit.SECONDS)).isTrue();
        });
        outbox.insert("a");
        outbox.insert("a");
        outbox.insert("b");
        start();
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();

        var changed = CompletableFuture.runAsync(() -> make(change));
        mayEnd.countDown();
        changed.get(60, TimeUnit.SECONDS);

        eventually(() -> {
            assertThat(outbox.passed("orders", 3)).isTrue();
            assertThat(destination.ids()).containsExactlyInAnyOrder(1L, 2L, 3L);
        });
        assertThat(destination.idsOf("a")).containsExactly(1L, 2L);
        assertThat(outbox.waiting("orders")).isEmpty();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = "REPLACE", mode = EnumSource.Mode.EXCLUDE)
    void so_they_do_when_the_route_is_only_interrupted(Change change) throws Exception {
        the_message_in_flight_arrives_once_and_the_others_follow(change);
    }

    @Test
    void a_message_that_fails_after_the_stop_is_not_said_to_be_retried_because_nothing_was_stored() throws Exception {
        destination.before(arrival -> {
            arrived.countDown();
            awaitUninterruptibly(mayEnd);
            throw new IllegalStateException("the producer is closed");
        });
        outbox.insert("a");
        start();
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();

        try (WrittenLog log = WrittenLog.of(AttemptLog.class)) {
            relay.context().getShutdownStrategy().setTimeout(1);
            relay.close();
            mayEnd.countDown();

            eventually(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("was not delivered before its lane was released")
                            && line.contains("Nothing was stored")));
            assertThat(log.lines()).noneMatch(line -> line.contains("it is retried later"));
        }
        assertThat(outbox.waiting("orders")).isEmpty();
        assertThat(outbox.passed("orders", 1)).isFalse();
    }

    /** As a client library does whose send cannot be interrupted. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    private void make(Change change) {
        try {
            change.make(relay.context(), route);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void start() throws Exception {
        relay = TestRelay.startAsShipped(outbox.pool(), route);
    }

    /** Otherwise each message that is read while many routes start would lose an attempt at a route that starts later. */
    @Test
    void no_message_is_delivered_before_all_routes_have_started() throws Exception {
        TestOutbox late = TestOutbox.create();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean isEarly = new AtomicBoolean();
        long id = late.insert("a");

        try (TestRelay relay = TestRelay.startAsShipped(late.pool(), routes -> {
            routes.getContext().addRoutePolicyFactory((context, routeId, route) -> new RoutePolicySupport() {
                @Override
                public void onStart(Route started) {
                    if (routeId.equals("second")) {
                        isEarly.set(hasBegun(begun));
                    }
                }
            });
            routes.from("outbox:orders").process(exchange -> begun.countDown()).to("direct:third");
            routes.from("direct:second").routeId("second").to("log:second");
            routes.from("direct:third").to("log:third");
        })) {
            late.awaitPassed("orders", id);
        }
        assertThat(isEarly).isFalse();
    }

    private static boolean hasBegun(CountDownLatch begun) {
        try {
            return begun.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
