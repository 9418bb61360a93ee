package dev.caravan.delivery;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * The deliveries that may start: those that found the destination away come last, so that each probe is another message, and
 * else in order of id. Nearly all are added in this order, and need no heap.
 */
final class ReadyQueue {
    private final Deque<Delivery> inOrder = new ArrayDeque<>();
    private final PriorityQueue<Delivery> others = new PriorityQueue<>(ReadyQueue::compare);

    void add(Delivery delivery) {
        if (inOrder.isEmpty() || compare(inOrder.peekLast(), delivery) < 0) {
            inOrder.addLast(delivery);
        } else {
            others.add(delivery);
        }
    }

    private static int compare(Delivery one, Delivery other) {
        int byProbes = Integer.compare(one.probes, other.probes);
        return byProbes != 0
                ? byProbes
                : Long.compare(one.message().id(), other.message().id());
    }

    /** The first that may still start, or null; one that was taken back since it was added is dropped. */
    Delivery peek() {
        drop(inOrder);
        drop(others);
        if (others.isEmpty() || !inOrder.isEmpty() && compare(inOrder.peek(), others.peek()) < 0) {
            return inOrder.peek();
        }
        return others.peek();
    }

    private static void drop(Queue<Delivery> queue) {
        while (!queue.isEmpty() && queue.peek().state != Delivery.State.READY) {
            queue.poll();
        }
    }

    /** Takes out what {@link #peek()} returned. */
    void removeFirst() {
        Delivery first = peek();
        (inOrder.peek() == first ? inOrder : others).poll();
    }

    boolean isEmpty() {
        return peek() == null;
    }

    /** Starts over for the destination: it has come back. */
    void forgetProbes() {
        others.addAll(inOrder);
        inOrder.clear();
        Delivery[] all = others.toArray(Delivery[]::new);
        others.clear();
        for (Delivery delivery : all) {
            delivery.probes = 0;
        }
        Arrays.sort(all, ReadyQueue::compare);
        for (Delivery delivery : all) {
            add(delivery);
        }
    }
}
