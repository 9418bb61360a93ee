package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.camel.outbox.TestOutbox.Waiting;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that cannot be delivered, and the later messages of their keys. */
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
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        keyIsHeldByDeadLetter();

        poison.clear();
        assertThat(person.retryAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(1L, 3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
        assertThat(outbox.dead("orders")).isEmpty();
    }

    @Test
    void when_a_dead_letter_that_blocks_is_discarded_the_others_follow() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
        keyIsHeldByDeadLetter();

        assertThat(person.discardAll()).isEqualTo(1);

        eventually(() -> assertThat(destination.idsOf("k1")).containsExactly(3L, 5L));
        eventually(() -> assertThat(outbox.waiting("orders")).isEmpty());
    }

    @Tag("long")
    @Test
    void a_dead_letter_that_blocks_does_so_after_a_restart_too() throws Exception {
        poison.add(1L);
        outbox.insertMany(6, 2);
        start("orders?onDead=block");
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
}
