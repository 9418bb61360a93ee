package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.base.message.Key;
import dev.caravan.base.message.Message;
import dev.caravan.engine.lane.Change;
import dev.caravan.engine.lane.ProvenSession;
import dev.caravan.engine.lane.Save;
import dev.caravan.engine.progress.IdRanges;
import dev.caravan.engine.progress.ProgressToSave;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.store.SubscriptionStore;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HotStandbyIT {
    private static final String[] ALL = {"%"};
    /** Renewed three times as often: a relay that a busy machine holds up for seconds keeps its lease. */
    private static final long LEASE_MILLIS = 5_000;

    private final TestDestination atFirst = new TestDestination();
    private final TestDestination atSecond = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();

    @Tag("long")
    @Test
    void only_one_of_two_relays_works_a_subscription() throws Exception {
        try (var first = start("first", outbox.pool(), atFirst)) {
            isWorkedBy("first");
            try (var second = start("second", outbox.pool(), atSecond)) {
                Timestamp firstLeaseUntil = leaseUntil();
                for (int round = 1; round <= 4; round++) {
                    outbox.insertMany(50, 5);
                    delivered(round * 50);
                }
                eventually(() -> assertThat(leaseUntil()).isAfter(later(firstLeaseUntil)));

                assertThat(atFirst.ids()).hasSize(200);
                assertThat(atSecond.ids()).isEmpty();
                assertThat(outbox.saved("orders").epoch()).isEqualTo(1);
            }
        }
    }

    @Test
    void when_one_stops_under_load_the_other_continues_at_once_and_repeats_nothing() throws Exception {
        atFirst.before(arrival -> {
            if (arrival.id() > 1_500) {
                LockSupport.parkNanos(20_000_000); // so slow that the first one cannot deliver all before it stops
            }
        });
        TestRelay first = start("first", outbox.pool(), atFirst);
        isWorkedBy("first");
        try (var second = start("second", outbox.pool(), atSecond)) {
            outbox.insertMany(3_000, 50);
            eventually(() -> assertThat(atFirst.ids()).hasSizeGreaterThan(100));

            first.close();

            isWorkedBy("second");
            delivered(3_000);
            assertThat(atFirst.ids()).doesNotContainAnyElementsOf(atSecond.ids());
            assertThat(atFirst.ids().size() + atSecond.ids().size()).isEqualTo(3_000);
            for (int key = 0; key < 50; key++) {
                assertThat(atFirst.idsOf("k" + key)).isSorted();
                assertThat(atSecond.idsOf("k" + key)).isSorted();
            }
        }
    }

    @Test
    void a_relay_that_lost_its_database_is_replaced_after_its_lease_and_can_no_longer_acknowledge() throws Exception {
        HeldDataSource network = new HeldDataSource(outbox.pool());
        CountDownLatch answer = new CountDownLatch(1);
        atFirst.before(arrival -> {
            if (arrival.id() == 2) {
                answer.await();
            }
        });
        outbox.insertMany(20, 1);
        try (var first = start("first", network, atFirst)) {
            eventually(() -> {
                assertThat(outbox.saved("orders").position()).isEqualTo(20);
                assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[2,21)}");
            });

            network.becomeUnavailable();
            try (var second = start("second", outbox.pool(), atSecond)) {
                isWorkedBy("second");
                eventually(() -> assertThat(atSecond.ids()).hasSize(19).startsWith(2L));
                answer.countDown(); // continues late: message 2 has arrived twice, but nothing more starts here
                eventually(() -> assertThat(atFirst.ids()).containsExactly(1L, 2L));
                int opened = network.opened();
                network.becomeAvailable();
                eventually(() -> assertThat(network.opened()).isGreaterThan(opened)); // it has tried to save
                outbox.insertMany(5, 1);
                delivered(25);

                assertThat(atFirst.ids()).containsExactly(1L, 2L);
                assertThat(atSecond.ids()).hasSize(24).isSorted();
                assertThat(outbox.saved("orders").epoch()).isEqualTo(2);
            }

            isWorkedBy("first"); // as a standby that takes over in turn
            long last = outbox.insert("a");
            eventually(() -> assertThat(atFirst.ids()).containsExactly(1L, 2L, last));
        }
    }

    @Tag("long")
    @Test
    void a_subscription_is_given_back_at_once_while_another_one_of_a_stopping_relay_waits_for_an_answer()
            throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        atSecond.before(arrival -> {
            asked.countDown();
            answer.await();
        });
        outbox.insert("a");
        TestRelay relay = TestRelay.startAsShipped(outbox.pool(), routes -> {
            routes.from("outbox:quick").process(atFirst);
            routes.from("outbox:slow").process(atSecond);
        });
        eventually(() -> assertThat(atFirst.ids()).hasSize(1));
        asked.await();
        relay.context().getShutdownStrategy().setTimeout(60);

        Thread stop = new Thread(() -> close(relay));
        stop.start();

        eventually(() -> assertThat(outbox.saved("quick").owner()).isNull());
        assertThat(outbox.saved("slow").owner()).isNotNull();
        answer.countDown();
        stop.join();
        assertThat(outbox.saved("slow").owner()).isNull();
        assertThat(atSecond.ids()).hasSize(1);
    }

    private static void close(TestRelay relay) {
        try {
            relay.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_message_that_a_frozen_relay_had_taken_is_not_sent_after_another_has_taken_over() throws Exception {
        HeldDataSource network = new HeldDataSource(outbox.pool());
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch thawed = new CountDownLatch(1);
        Tracing freeze = (subscription, delivery, in) -> { // between the choice of the message and the route
            taken.countDown();
            await(thawed);
            return result -> {};
        };
        try (var first = start("first", network, atFirst, freeze)) {
            outbox.insertMany(3, 1);
            await(taken);
            network.becomeUnavailable();
            try (var second = start("second", outbox.pool(), atSecond)) {
                delivered(3);
                thawed.countDown();
                int opened = network.opened();
                network.becomeAvailable();
                eventually(() -> assertThat(network.opened()).isGreaterThan(opened)); // it has tried to save
                outbox.insertMany(3, 1);
                delivered(6);

                assertThat(atFirst.ids()).isEmpty();
                assertThat(atSecond.ids()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(90, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_save_with_an_old_epoch_changes_nothing() throws Exception {
        try (var first = start("first", outbox.pool(), atFirst)) {
            outbox.insertMany(3, 1);
            delivered(3);
        }
        SubscriptionStore late = outbox.store("late", Duration.ofMinutes(1));
        var lateClaim = late.claim(ALL).orElseThrow();
        late.release(lateClaim.epoch());
        var current = outbox.store("current", Duration.ofMinutes(1)).claim(ALL).orElseThrow();
        var before = outbox.saved("orders");

        for (List<Change> changes : List.of(List.<Change>of(), List.<Change>of(dead(3)))) {
            ProgressToSave progress = new ProgressToSave(2, new IdRanges(), null);
            assertThat(late.save(lateClaim.epoch(), new Save(progress, changes, 0, ProvenSession.NONE)))
                    .isEmpty();
        }
        late.release(lateClaim.epoch());

        assertThat(outbox.saved("orders")).isEqualTo(before);
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(before.epoch()).isEqualTo(current.epoch());
    }

    private static Change dead(long id) {
        Message message = new Message(id, new UUID(0, id), new Key("order", "a"), "t", null, "{}", Instant.EPOCH);
        return new Change.Dead(Delivery.fresh(message), 1, new Failure("Error", "no", "", "", "no"));
    }

    private static TestRelay start(String name, DataSource dataSource, TestDestination destination) throws Exception {
        return start(name, dataSource, destination, Tracing.OFF);
    }

    private static TestRelay start(String name, DataSource dataSource, TestDestination destination, Tracing tracing)
            throws Exception {
        return TestRelay.start(dataSource, "orders", destination, component -> {
            component.setRelay(name);
            component.setTracing(tracing);
            component.setLeaseDuration(LEASE_MILLIS);
        });
    }

    private void isWorkedBy(String relay) throws Exception {
        eventually(() -> assertThat(outbox.saved("orders").owner()).isEqualTo(relay));
    }

    private void delivered(long position) throws Exception {
        eventually(() -> {
            assertThat(outbox.saved("orders").position()).isEqualTo(position);
            assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
        });
    }

    private Timestamp leaseUntil() {
        return outbox.jdbc().queryForObject("select lease_until from outbox_subscription", Timestamp.class);
    }

    /** By a lease. */
    private static Timestamp later(Timestamp time) {
        return new Timestamp(time.getTime() + LEASE_MILLIS);
    }
}
