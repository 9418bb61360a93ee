package dev.caravan.delivery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The unfinished messages of one key, in the order in which they start: by id, but never before one that has started. */
final class KeyQueue {
    private final Object key;
    private final Deque<Delivery> deliveries = new ArrayDeque<>(2);
    private int started;
    private int notDelivered;
    private boolean recovering;

    KeyQueue(Object key) {
        this.key = key;
    }

    Object key() {
        return key;
    }

    boolean isEmpty() {
        return deliveries.isEmpty();
    }

    Delivery head() {
        return deliveries.peekFirst();
    }

    /** The first that may start, if nothing before it waits; null otherwise. */
    Delivery firstReady() {
        for (Delivery delivery : deliveries) {
            if (!delivery.hasStarted()) {
                return delivery.state == Delivery.State.READY ? delivery : null;
            }
        }
        return null;
    }

    Delivery last() {
        return deliveries.peekLast();
    }

    Iterable<Delivery> all() {
        return deliveries;
    }

    /** Its head did not arrive: that one goes alone, and the others follow when it has arrived. */
    boolean isRecovering() {
        return recovering;
    }

    /** Puts a delivery in its place; later ones that were ready must be released again. */
    void insert(Delivery delivery) {
        delivery.queue = this;
        if (goesBeforeLast(delivery)) {
            insertBefore(delivery);
        } else {
            deliveries.addLast(delivery);
        }
    }

    private void insertBefore(Delivery delivery) {
        Deque<Delivery> later = new ArrayDeque<>();
        while (goesBeforeLast(delivery)) {
            later.push(deliveries.pollLast());
        }
        deliveries.addLast(delivery);
        for (Delivery other : later) {
            other.state = Delivery.State.QUEUED;
            deliveries.addLast(other);
        }
    }

    private boolean goesBeforeLast(Delivery delivery) {
        Delivery last = deliveries.peekLast();
        return last != null
                && !last.hasStarted()
                && delivery.message().id() < last.message().id();
    }

    void started(Delivery delivery) {
        delivery.start();
        started++;
    }

    void ended(Delivery delivery, Result result) {
        started--;
        delivery.state = Delivery.State.ENDED;
        delivery.result = result;
        if (result.outcome() != Outcome.DELIVERED) {
            notDelivered++;
        }
    }

    boolean hasRunning() {
        return started > 0;
    }

    /** Whether something ended that was not delivered, or not yet taken out. */
    boolean hasFailures() {
        return notDelivered > 0;
    }

    /** Takes out the head if it has ended in a way; null otherwise. */
    Delivery removeHead(Outcome outcome) {
        if (deliveries.isEmpty() || !head().ended(outcome)) {
            return null;
        }
        recovering = false;
        if (outcome != Outcome.DELIVERED) {
            notDelivered--;
        }
        return deliveries.pollFirst();
    }

    /** Takes out everything that is left. */
    List<Delivery> removeAll() {
        List<Delivery> left = new ArrayList<>(deliveries);
        deliveries.clear();
        notDelivered = 0;
        recovering = false;
        return left;
    }

    /** Takes back what has not started yet. */
    void startRecovering() {
        if (!recovering) {
            recovering = true;
            for (Delivery delivery : deliveries) {
                if (delivery.state == Delivery.State.READY) {
                    delivery.state = Delivery.State.QUEUED;
                }
            }
        }
    }

    /** Puts all back to be sent again, the head first and alone. */
    void requeueAll() {
        deliveries.forEach(delivery -> delivery.state = Delivery.State.QUEUED);
        notDelivered = 0;
        recovering = true;
    }
}
