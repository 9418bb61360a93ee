package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.lane.Start;
import dev.caravan.engine.store.LaneId;
import dev.caravan.engine.store.SubscriptionStore;
import dev.caravan.operate.audit.Actor;
import dev.caravan.operate.subscription.LaneChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The number of lanes of a subscription is changed, or differs between routes. */
class ChangedLanesIT extends SharedLanesFixture {
    @Test
    void a_route_with_another_number_of_lanes_is_not_worked_until_it_fits() throws Exception {
        start("a", FOUR_LANES);
        eventually(() -> assertThat(shares()).isEqualTo(Map.of("a", 4L)));
        stop(0);
        HeldDataSource ofOne = new HeldDataSource(outbox.pool());
        HeldDataSource ofTwo = new HeldDataSource(outbox.pool());
        TestRelay one = start("b", "orders", ofOne);
        TestRelay two = start("c", "orders?lanes=2", ofTwo);
        outbox.insertMany(10, 5);

        assertThat(one.context().getStatus().isStarted()).isTrue();
        for (HeldDataSource network : List.of(ofOne, ofTwo)) {
            int opened = network.opened();
            eventually(() -> assertThat(network.opened()).isGreaterThan(opened + 1)); // it has tried again
        }
        assertThat(shares()).isEmpty();
        assertThat(destination.ids()).isEmpty();

        changeLanes(2);

        eventually(() -> assertThat(shares()).isEqualTo(Map.of("c", 2L)));
        passed(10);
        assertThat(two.context().getStatus().isStarted()).isTrue();
        arrivedOnceAndInOrder(10);
    }

    @Test
    void two_new_relays_that_differ_make_the_lanes_of_one_of_them() throws Exception {
        for (int round = 0; round < 10; round++) {
            String name = "new" + round;
            var stores = List.of(store(name, 1), store(name, 3));
            var threads = Executors.newFixedThreadPool(2);
            try {
                threads.invokeAll(stores.stream()
                        .map(store -> Executors.callable(() -> store.rows().create(Start.parse("latest"))))
                        .toList());
            } finally {
                threads.shutdown();
            }

            assertThat(outbox.text(
                            "select (count(*) = max(lanes) and count(distinct lanes) = 1 and max(lane) = max(lanes) - 1)::text"
                                    + " from outbox_subscription where name = '" + name + "'"))
                    .isEqualTo("true");
        }
    }

    private SubscriptionStore store(String name, int lanes) {
        return new SubscriptionStore(
                outbox.jdbc(),
                new LaneId(name, 0, lanes),
                "relay",
                java.time.Duration.ofMinutes(1),
                false,
                Clock.SYSTEM);
    }

    @Tag("long")
    @Test
    void the_number_of_lanes_is_changed_up_and_down_under_load_without_loss_repeats_or_disorder() throws Exception {
        try (Application application = new Application()) {
            // One relay of each kind: those whose number does not fit wait.
            start("one-a", "orders?concurrency=3");
            start("four-a", FOUR_LANES);
            start("four-b", FOUR_LANES);
            start("six-a", "orders?lanes=6&pipelined=true");
            start("six-b", "orders?lanes=6&pipelined=true");
            for (int lanes : new int[] {4, 6, 1, 6, 4, 1}) {
                changeLanes(lanes);
                eventually(Duration.ofSeconds(60), () -> {
                    assertThat(outbox.number("select count(*) from outbox_subscription where owner is not null"))
                            .isEqualTo(lanes);
                    assertThat(shares().size()).isEqualTo(lanes == 1 ? 1 : 2);
                });
                application.awaitMore(300);
                eventually(() -> assertThat(outbox.number("select min(position) from outbox_subscription"))
                        .isGreaterThan(destination.ids().size() / 2));
            }
            application.stop();
        }

        passedAll();
        arrivedOnceAndInOrder(outbox.number("select count(*) from outbox"));
        assertThat(outbox.number("select sum(delivered) from outbox_subscription"))
                .as("what all lanes have delivered, whatever their number was")
                .isEqualTo(outbox.number("select count(*) from outbox"));
    }

    @Test
    void what_waits_or_is_dead_moves_to_the_new_lane_of_its_key() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        destination.failIf(arrival -> broken.get() && arrival.key().endsWith("1"));
        TestRelay one = start("a", "orders?maxAttempts=1000");
        outbox.insertMany(400, 40);
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(40));
        new Person(outbox).giveUpAll();
        eventually(() -> assertThat(outbox.dead("orders")).hasSizeGreaterThanOrEqualTo(4));

        changeLanes(4);

        for (String table : List.of("outbox_retry", "outbox_dead_letter")) {
            assertThat(outbox.number("select count(*) from " + table
                            + " where lane <> outbox_lane(aggregate_type, aggregate_id, 4)"))
                    .isZero();
            assertThat(outbox.number("select count(distinct lane) from " + table))
                    .isGreaterThan(1);
        }
        assertThat(one.context().getStatus().isStarted()).isTrue();
        broken.set(false);
        start("b", FOUR_LANES + "&backoff=10ms&maxBackoff=10ms");
        new Person(outbox).retryAll();
        new Person(outbox).retryAllWaiting();
        eventually(() -> {
            new Person(outbox).retryAllWaiting();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
        eventually(() -> assertThat(destination.ids()).hasSize(400));
    }

    @Tag("long")
    @Test
    void a_change_of_lanes_is_given_up_by_itself_when_the_command_is_gone() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders");
        outbox.insert("k1");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
        assertThat(change(4).advance().done()).isFalse();
        eventually(() -> assertThat(outbox.number(
                        "select count(*) from outbox_subscription where barrier_until > clock_timestamp()"))
                .isEqualTo(1));

        outbox.execute("update outbox_subscription set barrier_until = clock_timestamp()"); // ten seconds later
        answer.countDown();
        outbox.insertMany(20, 5);

        passed(21);
        arrivedOnceAndInOrder(21);
    }

    @Test
    void a_change_that_waits_for_a_delivery_can_be_taken_back() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> answer.await());
        start("a", "orders");
        outbox.insert("k1");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(1));
        LaneChange change = change(4);

        assertThat(change.advance().waitsFor()).contains("its relays to finish the messages in flight (a)");
        change.cancel();
        answer.countDown();

        outbox.insertMany(20, 5);
        passed(21);
        assertThat(change.lanes()).isEqualTo(1);
        arrivedOnceAndInOrder(21);
    }

    private LaneChange change(int lanes) {
        return new LaneChange(outbox.dataSource(), "orders", lanes, new Actor("anna", Optional.empty()));
    }

    private void changeLanes(int lanes) throws Exception {
        LaneChange change = change(lanes);
        eventually(() -> {
            var step = change.advance();
            assertThat(step.done()).as(step.waitsFor()).isTrue();
        });
    }
}
