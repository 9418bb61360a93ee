package dev.caravan.engine.schedule;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.Queue;

/** The deliveries that may start, in order of id. Nearly all are added in this order and need no heap. */
final class ReadyQueue {
    private final Deque<Delivery> inOrder = new ArrayDeque<>();
    private final PriorityQueue<Delivery> others = new PriorityQueue<>(
            Comparator.comparingLong(delivery -> delivery.message().id()));

    void add(Delivery delivery) {
        if (delivery.readyIn == this) {
            return; // requeued, or started as a test: this queue still contains it
        }
        delivery.readyIn = this;
        if (inOrder.isEmpty() || isBefore(inOrder.peekLast(), delivery)) {
            inOrder.addLast(delivery);
        } else {
            others.add(delivery);
        }
    }

    private static boolean isBefore(Delivery one, Delivery other) {
        return one.message().id() < other.message().id();
    }

    /** The first delivery that may start, or null. Drops those that have started or were requeued since they were added. */
    Delivery peek() {
        drop(inOrder);
        drop(others);
        if (others.isEmpty() || !inOrder.isEmpty() && isBefore(inOrder.peek(), others.peek())) {
            return inOrder.peek();
        }
        return others.peek();
    }

    private void drop(Queue<Delivery> queue) {
        while (!queue.isEmpty() && !queue.peek().isReadyIn(this)) {
            leave(queue.poll());
        }
    }

    private void leave(Delivery delivery) {
        if (delivery.readyIn == this) {
            delivery.readyIn = null;
        }
    }

    /** @param first what {@link #peek()} returned */
    void removeFirst(Delivery first) {
        leave((inOrder.peek() == first ? inOrder : others).poll());
    }

    boolean isEmpty() {
        return peek() == null;
    }
}
