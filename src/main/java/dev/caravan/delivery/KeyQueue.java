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
    private int failed;
    private int failures;
    private boolean recovering;
    private long retryAt;

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

    /** Whether the head is released and has not started yet. */
    boolean headMayStart() {
        return !deliveries.isEmpty() && head().state == Delivery.State.READY;
    }

    Delivery last() {
        return deliveries.peekLast();
    }

    Iterable<Delivery> all() {
        return deliveries;
    }

    /** Its head has failed: that one goes alone, and the others follow when it has arrived. */
    boolean isRecovering() {
        return recovering;
    }

    /** When the head may be tried again, on the clock of the caller in nanoseconds. */
    long retryAt() {
        return retryAt;
    }

    /** Puts a delivery in its place; later ones that were ready must be released again. */
    void insert(Delivery delivery) {
        List<Delivery> later = new ArrayList<>(0);
        while (!deliveries.isEmpty() && goesBefore(delivery, deliveries.peekLast())) {
            deliveries.peekLast().state = Delivery.State.QUEUED;
            later.add(deliveries.pollLast());
        }
        deliveries.addLast(delivery);
        for (int i = later.size() - 1; i >= 0; i--) {
            deliveries.addLast(later.get(i));
        }
    }

    private static boolean goesBefore(Delivery delivery, Delivery other) {
        return !other.hasStarted() && delivery.message.id() < other.message.id();
    }

    void started(Delivery delivery) {
        delivery.state = Delivery.State.STARTED;
        delivery.attempts++;
        started++;
    }

    void ended(Delivery delivery, Outcome outcome) {
        started--;
        if (outcome == Outcome.DELIVERED) {
            delivery.state = Delivery.State.ARRIVED;
        } else {
            delivery.state = Delivery.State.FAILED;
            failed++;
        }
    }

    /** Removes what has arrived at the head of the queue: only this counts as delivered. */
    List<Message> removeArrived() {
        List<Message> arrived = new ArrayList<>(1);
        while (!deliveries.isEmpty() && head().state == Delivery.State.ARRIVED) {
            arrived.add(deliveries.pollFirst().message);
            recovering = false;
            failures = 0;
        }
        return arrived;
    }

    boolean hasFailed() {
        return failed > 0;
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

    boolean nothingIsOnItsWay() {
        return started == 0;
    }

    /** Puts all back to be sent again, the head at a given time. */
    void retryAllAfter(Backoff backoff, long now) {
        deliveries.forEach(delivery -> delivery.state = Delivery.State.QUEUED);
        failed = 0;
        failures++;
        retryAt = now + backoff.after(failures).toNanos();
    }
}
