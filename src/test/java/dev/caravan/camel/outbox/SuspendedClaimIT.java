package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.camel.support.service.ServiceHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A route is suspended, resumed or stopped while its relay waits for the answer to a claim. */
class SuspendedClaimIT {
    private final TestDestination destination = new TestDestination();
    private final Pause claim = new Pause();
    private final TestOutbox outbox = TestOutbox.create();
    private HookedStatement claims;
    private HookedStatement releases;
    private TestRelay relay;
    private long id;

    /** A point where a statement waits, once. */
    private static final class Pause {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch ended = new CountDownLatch(1);

        void await() throws InterruptedException {
            reached.countDown();
            ended.await(60, TimeUnit.SECONDS);
        }

        void awaitReached() throws InterruptedException {
            assertThat(reached.await(60, TimeUnit.SECONDS)).isTrue();
        }

        void end() {
            ended.countDown();
        }
    }

    @BeforeEach
    void start() throws Exception {
        id = outbox.insert("a");
        releases = new HookedStatement(outbox.pool(), "engine/release");
        claims = new HookedStatement(releases, "engine/claim");
        claims.after(connection -> claim.await());
        relay = TestRelay.start(claims, "orders", destination, component -> component.setLeaseDuration(5_000));
        claim.awaitReached();
    }

    @AfterEach
    void close() throws Exception {
        claim.end();
    }

    @Test
    void a_suspended_route_releases_the_lane_and_delivers_nothing() throws Exception {
        consumer(ServiceHelper::suspendService);
        claim.end();

        eventually(() -> assertThat(outbox.saved("orders").owner()).isNull());
        assertThat(destination.ids()).isEmpty();
        consumer(ServiceHelper::resumeService);
        arrivesOnce();
    }

    @Test
    void a_route_that_is_resumed_before_the_answer_works_the_lane() throws Exception {
        consumer(ServiceHelper::suspendService);
        consumer(ServiceHelper::resumeService);
        claim.end();

        arrivesOnce();
        assertThat(outbox.saved("orders").epoch()).isEqualTo(1);
    }

    @Test
    void a_route_that_is_resumed_while_the_lane_is_released_takes_it_again() throws Exception {
        Pause release = new Pause();
        releases.before(connection -> release.await());
        resumeDuring(release);

        arrivesOnce();
    }

    @Tag("long")
    @Test
    void a_route_that_is_resumed_while_the_release_of_the_lane_fails_takes_it_again_after_its_lease() throws Exception {
        Pause release = new Pause();
        releases.before(connection -> {
            release.await();
            releases.before(next -> {});
            throw new SQLException("An I/O error occurred", "08006");
        });
        resumeDuring(release);

        arrivesOnce();
        assertThat(outbox.saved("orders").epoch()).isEqualTo(2);
    }

    @Test
    void a_route_that_stops_releases_the_lane_and_delivers_nothing() throws Exception {
        Thread stop = new Thread(() -> consumer(ServiceHelper::stopService));
        stop.start();
        eventually(() -> assertThat(stop.getState()).isEqualTo(Thread.State.WAITING)); // for the poll
        claim.end();
        stop.join(60_000);

        assertThat(outbox.saved("orders").owner()).isNull();
        assertThat(destination.ids()).isEmpty();
    }

    private void resumeDuring(Pause release) throws InterruptedException {
        consumer(ServiceHelper::suspendService);
        claim.end();
        release.awaitReached();
        consumer(ServiceHelper::resumeService);
        release.end();
    }

    /** Of the consumer itself: Camel would wait for the poll. */
    private void consumer(Consumer<Object> change) {
        change.accept(relay.context().getRoute("tested").getConsumer());
    }

    private void arrivesOnce() throws Exception {
        eventually(() -> assertThat(destination.ids()).containsExactly(id));
        outbox.awaitPassed("orders", id);
        assertThat(destination.ids()).containsExactly(id);
    }
}
