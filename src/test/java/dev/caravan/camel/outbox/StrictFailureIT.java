package dev.caravan.camel.outbox;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that cannot be delivered, with order=strict and without an order. */
class StrictFailureIT extends FailureFixture {
    @Test
    void strict_stops_at_a_dead_letter_and_continues_when_it_is_discarded() throws Exception {
        poison.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict");
        stopsAtSecond();

        person.discardAll();

        eventually(() -> assertThat(destination.ids()).containsExactly(1L, 3L, 4L, 5L));
    }

    @Test
    void strict_continues_with_the_dead_letter_when_it_is_retried() throws Exception {
        poison.add(2L);
        outbox.insertMany(5, 5);
        start("orders?order=strict");
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
