package dev.caravan.engine.schedule;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** The unfinished messages of one key, in the order in which they start: by id, but always behind those that have started. */
final class KeyQueue {
    private final Object key;
    private final Deque<Delivery> deliveries = new ArrayDeque<>(2);
    /** No delivery in it has a higher id. */
    private long highest = Long.MIN_VALUE;

    private int started;
    private int notDelivered;
    private boolean recovering;
    /** Iterates over the deliveries to start while a batch is chosen; null otherwise. */
    private Iterator<Delivery> followers;

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

    /** The first delivery that has not started, if it may start; null otherwise. */
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

    /** Whether its head failed: the head is sent alone, and the others follow after its delivery. */
    boolean isRecovering() {
        return recovering;
    }

    /** Inserts a delivery in order; later ones that were ready must be released again. */
    void insert(Delivery delivery) {
        delivery.queue = this;
        long id = delivery.message().id();
        if (id < highest && goesBeforeLast(delivery)) {
            insertBefore(delivery);
        } else {
            deliveries.addLast(delivery);
        }
        highest = Math.max(highest, id);
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

    /** While a batch is chosen: the next delivery behind those that have started or were returned before; null if there is none. */
    Delivery nextFollower() {
        if (followers == null) {
            followers = deliveries.iterator();
        }
        while (followers.hasNext()) {
            Delivery follower = followers.next();
            if (!follower.hasStarted()) {
                return follower;
            }
        }
        return null;
    }

    /** Ends the choice of a batch. */
    void chosen() {
        followers = null;
    }

    /** Queues a delivery again whose attempt ended without a result for it. */
    void returned(Delivery delivery) {
        started--;
        delivery.state = Delivery.State.QUEUED;
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

    /** Whether it contains a delivery whose attempt failed. */
    boolean hasFailures() {
        return notDelivered > 0;
    }

    /** Removes and returns the head if it has ended with this outcome; null otherwise. */
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

    /** Removes and returns all deliveries. */
    List<Delivery> removeAll() {
        List<Delivery> left = new ArrayList<>(deliveries);
        deliveries.clear();
        notDelivered = 0;
        recovering = false;
        return left;
    }

    /** Starts recovering, and queues the ready deliveries again. */
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

    /** Queues all deliveries to be sent again, the head first and alone. */
    void requeueAll() {
        deliveries.forEach(delivery -> delivery.state = Delivery.State.QUEUED);
        notDelivered = 0;
        recovering = true;
    }
}
