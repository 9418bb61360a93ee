package dev.caravan.engine.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
    void a_delivery_counts_only_at_the_head() {
        Delivery first = start(1);
        Delivery second = start(2);
        Delivery third = start(3);
        queue.ended(second, Result.DELIVERED);
        assertThat(queue.removeHead(Outcome.DELIVERED)).isNull();

        queue.ended(first, Result.DELIVERED);

        assertThat(queue.removeHead(Outcome.DELIVERED)).isSameAs(first);
        assertThat(queue.removeHead(Outcome.DELIVERED)).isSameAs(second);
        assertThat(queue.removeHead(Outcome.DELIVERED)).isNull();
        assertThat(queue.head()).isSameAs(third);
        assertThat(queue.hasRunning()).isTrue();
    }

    @Example
    void a_failure_requeues_ready_deliveries_and_lasts_until_it_is_removed() {
        Delivery failed = start(1);
        Delivery ready = insert(2);
        ready.state = Delivery.State.READY;

        queue.ended(failed, TestMessages.FAILED);
        queue.startRecovering();

        assertThat(ready.state).isEqualTo(Delivery.State.QUEUED);
        assertThat(queue.hasFailures()).isTrue();
        assertThat(queue.removeHead(Outcome.RETRY)).isSameAs(failed);
        assertThat(queue.hasFailures()).isFalse();
        assertThat(queue.isRecovering()).isFalse();
    }

    @Example
    void a_requeued_delivery_starts_again_as_if_it_had_never_started() {
        Delivery first = start(5);
        queue.ended(first, TestMessages.AWAY);

        queue.requeueAll();
        insert(3);

        assertThat(queue.hasFailures()).isFalse();
        assertThat(ids()).containsExactly(3L, 5L);
    }

    private Delivery start(long id) {
        Delivery delivery = insert(id);
        queue.started(delivery);
        return delivery;
    }

    private Delivery insert(long id) {
        Delivery delivery = TestMessages.fresh(id, "1");
        queue.insert(delivery);
        return delivery;
    }

    private List<Long> ids() {
        return StreamSupport.stream(queue.all().spliterator(), false)
                .map(delivery -> delivery.message().id())
                .toList();
    }
}
