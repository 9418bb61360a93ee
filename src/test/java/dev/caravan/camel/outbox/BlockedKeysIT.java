package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox.Waiting;
import dev.caravan.engine.lane.LaneCounters.Count;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that cannot be delivered, and the later ones that wait for them: those of their keys, all with order=strict, none without an order. */
class BlockedKeysIT extends FailureFixture {
    @Test
    void attempts_are_counted_across_restarts_of_the_relay() throws Exception {
        failing.add(1L);
        outbox.insert("a");
        start("orders?backoff=1ms&maxBackoff=1ms&maxAttempts=1000");
        eventually(() -> assertThat(attemptsOf(1)).isGreaterThanOrEqualTo(3));
        relay.close();
        int before = attemptsOf(1);

        failing.clear();
        start("orders?backoff=1ms&maxBackoff=1ms&maxAttempts=1000");

        eventually(() -> assertThat(destination.ids()).containsExactly(1L));
        assertThat(destination.arrivals().get(0).attempt()).isEqualTo(before + 1);
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Test
    void a_failing_message_blocks_its_key_in_order_and_no_other() throws Exception {
        failing.add(1L);
        outbox.insertMany(20, 2); // odd ids are k1, even ids k0
        start("orders?backoff=20ms&maxBackoff=20ms" + PATIENT);

        eventually(() -> {
            assertThat(outbox.passed("orders", 20)).isTrue();
            assertThat(destination.idsOf("k0")).hasSize(10).isSorted();
            assertThat(outbox.waiting("orders")).hasSize(10);
            assertThat(attemptsOf(1)).isPositive();
        });
        assertThat(outbox.waiting("orders").subList(1, 10)).allSatisfy(waiting -> {
            assertThat(waiting.blocked()).isTrue();
            assertThat(waiting.attempts()).isZero();
        });
        assertThat(destination.idsOf("k1")).isEmpty();
        long late = outbox.insert("k1"); // waits behind them
        eventually(() -> assertThat(outbox.waiting("orders")).hasSize(11));

        failing.clear();

        eventually(() -> assertThat(destination.idsOf("k1")).hasSize(11).endsWith(late));
        assertThat(destination.idsOf("k1")).isSorted().doesNotHaveDuplicates();
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void a_message_is_dead_after_its_attempts_and_the_others_of_its_key_follow() throws Exception {
        failing.add(1L);
        outbox.insertMany(5, 1);
        start("orders?backoff=1ms&maxBackoff=1ms&maxAttempts=4");

        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(destination.ids()).containsExactly(2L, 3L, 4L, 5L);
        });
        assertThat(destination.failedIds()).containsExactly(1L, 1L, 1L, 1L);
        assertThat(outbox.number("select attempts from outbox_dead_letter")).isEqualTo(4);
        assertThat(outbox.text("select error_stack from outbox_dead_letter")).contains("told to fail");
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Test
    void a_message_that_fails_for_too_long_is_dead() throws Exception {
        failing.add(1L);
        outbox.insert("a");
        start("orders?backoff=20ms&maxBackoff=20ms&maxAge=2000ms" + PATIENT);

        eventually(() -> assertThat(outbox.dead("orders")).containsExactly(1L));
        assertThat(destination.failedIds()).hasSizeGreaterThan(1);
    }

    @Test
    void a_retried_dead_letter_that_blocks_goes_first_and_the_others_follow() throws Exception {
        keyIsHeldByDeadLetter();

        poison.clear();
        assertThat(person.retryAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(1L, 3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void when_a_dead_letter_that_blocks_is_discarded_the_others_follow() throws Exception {
        keyIsHeldByDeadLetter();

        assertThat(person.discardAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Tag("long")
    @Test
    void a_dead_letter_that_blocks_does_so_after_a_restart_too() throws Exception {
        keyIsHeldByDeadLetter();
        relay.close();
        start("orders?onDead=block");
        long other = outbox.insert("k0");
        long held = outbox.insert("k1");
        eventually(() -> assertThat(destination.ids()).contains(other));
        outbox.awaitPassed("orders", held);
        assertThat(destination.idsOf("k1")).isEmpty();

        person.discardAll();

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(3L, 5L, held));
    }

    private void keyIsHeldByDeadLetter() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(1L);
            assertThat(destination.ids()).containsExactlyInAnyOrder(2L, 4L, 6L);
            assertThat(outbox.waiting("orders")).containsExactly(new Waiting(3, true, 0), new Waiting(5, true, 0));
        });
    }

    @Tag("long")
    @Test
    void order_and_completeness_survive_restarts_while_many_keys_are_blocked() throws Exception {
        Random random = new Random(11);
        destination.before(arrival -> {
            synchronized (random) {
                if (random.nextInt(5) == 0) {
                    throw new IllegalStateException("told to fail");
                }
            }
        });
        int messages = 600;
        for (int round = 0; round < 4; round++) {
            start("orders?backoff=5ms&maxBackoff=20ms" + PATIENT);
            if (round < 3) {
                outbox.insertMany(messages / 3, 20);
                int wanted = messages / 3 * round + messages / 6;
                eventually(() -> assertThat(destination.ids()).hasSizeGreaterThanOrEqualTo(wanted));
                relay.close();
            }
        }
        eventually(() -> {
            assertThat(destination.ids().stream().distinct()).hasSize(messages);
            assertThat(outbox.passed("orders", messages)).isTrue();
            assertThat(outbox.waiting("orders")).isEmpty();
        });
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(destination.ids()).doesNotHaveDuplicates(); // every stop was a clean one
        for (int key = 0; key < 20; key++) {
            assertThat(destination.idsOf("k" + key)).as("k" + key).hasSize(30).isSorted();
        }
    }

    @Test
    void a_message_that_fails_and_was_deleted_meanwhile_is_counted_and_its_key_continues() throws Exception {
        destination.before(arrival -> {
            if (arrival.id() == 1) {
                outbox.execute("delete from outbox where id = 1");
                throw new IllegalStateException("told to fail");
            }
        });
        outbox.insertMany(3, 1);
        start("orders");

        eventually(() -> assertThat(destination.ids()).containsExactly(2L, 3L));
        outbox.awaitPassed("orders", 3);
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
        assertThat(relay.counted(Count.DELETED)).isEqualTo(1);
    }

    @Test
    void strict_stops_at_a_dead_letter_and_continues_when_it_is_discarded() throws Exception {
        stopsAtSecond();

        person.discardAll();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 3L, 4L, 5L));
    }

    @Test
    void strict_continues_with_the_dead_letter_when_it_is_retried() throws Exception {
        stopsAtSecond();

        poison.clear();
        person.retryAll();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L));
    }

    @Tag("long")
    @Test
    void strict_tries_again_though_more_waits_than_fits_the_window() throws Exception {
        failing.add(2L);
        outbox.insertMany(50, 5);
        start("orders?order=strict&window=10&backoff=10ms&maxBackoff=10ms" + PATIENT);
        eventually(() -> assertThat(attemptsOf(2)).isPositive());

        failing.clear();

        eventually(() -> assertThat(destination.ids()).hasSize(50).isSorted());
    }

    @Tag("long")
    @Test
    void strict_waits_for_a_failing_message_through_a_restart() throws Exception {
        failing.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict&backoff=10ms&maxBackoff=10ms" + PATIENT);
        eventually(() -> assertThat(attemptsOf(2)).isGreaterThan(2));
        relay.close();
        start("orders?order=strict&backoff=10ms&maxBackoff=10ms" + PATIENT);
        int before = attemptsOf(2);
        eventually(() -> assertThat(attemptsOf(2)).isGreaterThan(before));
        assertThat(destination.ids()).containsExactly(1L);

        failing.clear();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 2L, 3L, 4L, 5L));
    }

    private void stopsAtSecond() throws Exception {
        poison.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict");
        eventually(() -> {
            assertThat(outbox.dead("orders")).containsExactly(2L);
            assertThat(outbox.saved("orders").position()).isEqualTo(5);
            assertThat(outbox.saved("orders").gaps().toMultirange()).isEqualTo("{[3,6)}");
        });
        assertThat(destination.ids()).containsExactly(1L);
    }

    @Test
    void without_an_order_neither_failing_nor_dead_messages_block_anything() throws Exception {
        failing.add(1L);
        poison.add(2L);
        outbox.insertMany(10, 1);
        start("orders?order=none&backoff=20ms&maxBackoff=20ms&onDead=block" + PATIENT);

        eventually(() -> {
            assertThat(destination.ids()).hasSize(8);
            assertThat(outbox.waiting("orders")).hasSize(1);
            assertThat(outbox.dead("orders")).containsExactly(2L);
        });
        failing.clear();
        eventually(() -> assertThat(destination.ids()).hasSize(9).endsWith(1L));
    }
}
