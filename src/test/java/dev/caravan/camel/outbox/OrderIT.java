package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class OrderIT {
    private final TestDestination destination = new TestDestination();
    private final TestOutbox outbox = TestOutbox.create();
    private TestRelay relay;

    @Test
    void keys_run_side_by_side_and_the_messages_of_a_key_one_after_the_other() throws Exception {
        CountDownLatch bothKeys = new CountDownLatch(2);
        destination.before(arrival -> {
            if (arrival.id() <= 2) {
                bothKeys.countDown();
                bothKeys.await();
            }
        });
        outbox.insertMany(100, 2);

        start("orders?concurrency=4");

        allDelivered(100);
        assertThat(destination.idsOf("k0")).hasSize(50).isSorted();
        assertThat(destination.idsOf("k1")).hasSize(50).isSorted();
    }

    @Test
    void a_full_strict_window_delivers_every_message_of_the_transaction_that_it_waits_for() throws Exception {
        ApplicationTransaction open = outbox.begin();
        open.insert("a");
        open.insert("a");
        open.insert("a");
        outbox.insert("b");
        long last = outbox.insert("b");
        start("orders?order=strict&window=2");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(last));

        open.commit();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L));
        allDelivered(last);
    }

    @Tag("long")
    @Test
    void a_strict_window_of_the_default_size_does_so_too() throws Exception {
        ApplicationTransaction open = outbox.begin();
        open.run("insert into outbox (aggregate_type, aggregate_id, type)"
                + " select 'order', 'a', 'order.created' from generate_series(1, 2000)");
        outbox.insertMany(9_500, 10);
        start("orders?order=strict");
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(11_500));

        open.commit();

        allDelivered(11_500);
        assertThat(destination.ids()).hasSize(11_500).isSorted();
    }

    @Test
    void strict_waits_at_a_missing_id_until_its_transaction_commits() throws Exception {
        ApplicationTransaction open = outbox.begin();
        long first = open.insert("a");
        long second = outbox.insert("b");
        startStrict();
        waitsAt(first, second);

        open.commit();

        eventually(() -> assertThat(destination.ids()).containsExactly(first, second));
        allDelivered(2);
    }

    @Tag("long")
    @Test
    void strict_continues_when_the_transaction_of_a_missing_id_rolls_back() throws Exception {
        ApplicationTransaction open = outbox.begin();
        long first = open.insert("a");
        long second = outbox.insert("b");
        startStrict();
        waitsAt(first, second);

        open.rollback();

        eventually(() -> assertThat(destination.ids()).containsExactly(second));
        allDelivered(2);
    }

    @Test
    void strict_stops_at_a_failure_and_continues_when_it_is_fixed() throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        destination.failIf(arrival -> arrival.id() == 2 && broken.get());
        outbox.insertMany(20, 20);
        startStrict();
        eventually(() -> {
            assertThat(destination.failedIds()).hasSizeGreaterThan(2).containsOnly(2L);
            assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[3,21)}");
        });
        assertThat(destination.ids()).containsExactly(1L);

        broken.set(false);

        allDelivered(20);
        assertThat(destination.ids()).hasSize(20).isSorted();
    }

    @Test
    void pipelined_starts_all_at_once_and_repeats_what_follows_a_failure_in_order() throws Exception {
        AsyncDestination broker = new AsyncDestination();
        broker.holdUntilStarted(8); // not reached if messages of a key wait for each other
        broker.failOnce(3);
        outbox.insertMany(8, 2); // odd ids are k1, even ids are k0

        relay = TestRelay.start(outbox, "orders?pipelined=true&backoff=5ms", broker);

        allDelivered(8);
        assertThat(broker.startedOf(List.of(2L, 4L, 6L, 8L))).containsExactly(2L, 4L, 6L, 8L);
        assertThat(broker.startedOf(List.of(1L, 3L, 5L, 7L))).containsExactly(1L, 3L, 5L, 7L, 3L, 5L, 7L);
        broker.close();
    }

    @Tag("long")
    @Test
    void pipelined_keeps_order_by_repeating_when_many_fail() throws Exception {
        AsyncDestination broker = new AsyncDestination();
        broker.failOneIn(10);
        outbox.insertMany(2_000, 20);

        relay = TestRelay.start(outbox, "orders?pipelined=true&backoff=1ms&maxBackoff=5ms", broker);

        allDelivered(2_000);
        for (int key = 0; key < 20; key++) {
            String name = "k" + key;
            assertThat(broker.arrivedInOrder(name)).as(name).hasSize(100);
        }
        broker.close();
    }

    @Test
    void one_message_that_takes_long_delays_neither_the_others_nor_their_progress() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        destination.before(arrival -> {
            if (arrival.id() == 1) {
                answer.await();
            }
        });
        start("orders?window=1000&concurrency=2");
        outbox.insertMany(500, 500);
        eventually(() -> assertThat(destination.ids()).hasSize(499));
        outbox.insertMany(500, 500); // later reads go on too

        eventually(() -> {
            assertThat(destination.ids()).hasSize(998).doesNotContain(1L); // 501 is of the same key
            assertThat(outbox.saved("orders").position()).isEqualTo(1000);
            assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[1,2),[501,502)}");
        });
        answer.countDown();
        allDelivered(1_000);
        assertThat(destination.ids()).hasSize(1000).endsWith(1L, 501L).doesNotHaveDuplicates();
    }

    private void start(String uri) throws Exception {
        relay = TestRelay.start(outbox, uri, destination);
    }

    /** With a short lease, so that progress is saved again and again while nothing moves. */
    private void startStrict() throws Exception {
        relay = TestRelay.start(
                outbox.pool(),
                "orders?order=strict&backoff=20ms&maxBackoff=20ms&maxAttempts=1000",
                destination,
                component -> component.setLeaseDuration(1_000));
    }

    /** Both ids are undelivered though the second was read, also after the lease was renewed a few times. */
    private void waitsAt(long first, long second) throws Exception {
        eventually(() -> assertThat(outbox.saved("orders").position()).isEqualTo(second));
        for (int i = 0; i < 3; i++) {
            Object before = savedAt();
            eventually(() -> assertThat(savedAt()).isNotEqualTo(before));
        }
        assertThat(outbox.saved("orders").gaps().contains(first)).isTrue();
        assertThat(outbox.saved("orders").gaps().contains(second)).isTrue();
        assertThat(destination.ids()).isEmpty();
    }

    private Object savedAt() {
        return outbox.jdbc().queryForObject("select saved_at from outbox_subscription", Object.class);
    }

    private void allDelivered(long position) throws Exception {
        eventually(() -> {
            assertThat(outbox.saved("orders").position()).isEqualTo(position);
            assertThat(outbox.saved("orders").gaps().isEmpty()).isTrue();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
    }
}
