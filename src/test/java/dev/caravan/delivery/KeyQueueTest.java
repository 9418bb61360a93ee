package dev.caravan.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.StreamSupport;
import net.jqwik.api.Example;

class KeyQueueTest {
    private final KeyQueue queue = new KeyQueue("key");

    @Example
    void a_message_found_late_goes_before_later_ones_that_have_not_started() {
        Delivery started = insert(5);
        queue.started(started);
        Delivery ready = insert(7);
        ready.state = Delivery.State.READY;

        insert(6);
        insert(3);

        assertThat(ids()).containsExactly(5L, 3L, 6L, 7L);
        assertThat(ready.state).as("must be released again").isEqualTo(Delivery.State.QUEUED);
    }

    @Example
    void only_what_arrived_at_the_head_counts() {
        Delivery first = start(1);
        Delivery second = start(2);
        Delivery third = start(3);
        queue.ended(second, Outcome.DELIVERED);
        assertThat(queue.removeArrived()).isEmpty();

        queue.ended(first, Outcome.DELIVERED);

        assertThat(queue.removeArrived()).containsExactly(first.message(), second.message());
        assertThat(queue.head()).isSameAs(third);
        assertThat(queue.nothingIsOnItsWay()).isFalse();
    }

    @Example
    void the_wait_grows_with_each_failure_and_starts_again_after_an_arrival() {
        Backoff backoff = new Backoff(Duration.ofNanos(8_000_000), Duration.ofHours(1), new NoRandom());
        Delivery head = insert(1);
        insert(2);
        fail(head, backoff);
        assertThat(queue.retryAt()).isEqualTo(8_000_000);
        fail(head, backoff);
        assertThat(queue.retryAt()).isEqualTo(16_000_000);

        queue.started(head);
        queue.ended(head, Outcome.DELIVERED);
        queue.removeArrived();
        fail(queue.head(), backoff);

        assertThat(queue.retryAt()).isEqualTo(8_000_000);
        assertThat(queue.isRecovering()).isTrue();
    }

    /** Never shortens a wait. */
    private static final class NoRandom extends Random {
        @Override
        public long nextLong(long bound) {
            return 0;
        }
    }

    private void fail(Delivery delivery, Backoff backoff) {
        queue.started(delivery);
        queue.ended(delivery, Outcome.RETRY);
        queue.startRecovering();
        queue.retryAllAfter(backoff, 0);
    }

    private Delivery start(long id) {
        Delivery delivery = insert(id);
        queue.started(delivery);
        return delivery;
    }

    private Delivery insert(long id) {
        Delivery delivery = new Delivery(Messages.message(id, "1"));
        queue.insert(delivery);
        return delivery;
    }

    private List<Long> ids() {
        return StreamSupport.stream(queue.all().spliterator(), false)
                .map(delivery -> delivery.message().id())
                .toList();
    }
}
