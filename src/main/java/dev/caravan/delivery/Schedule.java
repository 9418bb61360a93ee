package dev.caravan.delivery;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Decides which of the taken messages may start next, and when one counts as delivered. Messages of a key stand in a queue
 * in order of id. Without pipelining only the head of a queue is started. With pipelining all are started in order without
 * waiting; if one fails, the later ones of its key that were started are sent again after it, so that the order is restored
 * by repeating. No I/O; one thread at a time.
 */
public final class Schedule {
    private final Order order;
    private final boolean pipelined;
    private final int maxStarted;
    private final Backoff backoff;

    private final Map<Object, KeyQueue> queues = new HashMap<>();
    private final PriorityQueue<Delivery> ready = new PriorityQueue<>(Comparator.comparingLong(d -> d.message.id()));
    private final PriorityQueue<KeyQueue> blocked = new PriorityQueue<>(Comparator.comparingLong(KeyQueue::retryAt));
    private int size;
    private long bytes;
    private int started;

    /** @param maxStarted how many messages may be on their way at once */
    public Schedule(Order order, boolean pipelined, int maxStarted, Backoff backoff) {
        this.order = order;
        this.pipelined = pipelined;
        this.maxStarted = maxStarted;
        this.backoff = backoff;
    }

    /** Takes in a message. */
    public void add(Message message) {
        Delivery delivery = new Delivery(message);
        KeyQueue queue = queues.computeIfAbsent(keyOf(message), KeyQueue::new);
        boolean headMayStart = queue.headMayStart();
        queue.insert(delivery);
        size++;
        bytes += message.bytes();
        if (queue.isRecovering()) {
            if (headMayStart) {
                release(queue.head()); // another one now, if this message was found late
            }
        } else if (pipelined && queue.last() == delivery) {
            release(delivery);
        } else {
            releaseNext(queue);
        }
    }

    private Object keyOf(Message message) {
        return switch (order) {
            case key -> message.key();
            case strict -> Order.strict;
            case none -> message.id();
        };
    }

    /**
     * The next message to start, or null if none may start now.
     *
     * @param now the time of a monotonic clock, in nanoseconds
     * @param lowestMissing in order {@code strict} nothing above this id starts
     */
    public Delivery next(long now, long lowestMissing) {
        while (!blocked.isEmpty() && blocked.peek().retryAt() - now <= 0) {
            release(blocked.poll().head());
        }
        dropTakenBack();
        if (ready.isEmpty() || started >= maxStarted || mustWaitFor(lowestMissing)) {
            return null;
        }
        Delivery delivery = ready.poll();
        queueOf(delivery).started(delivery);
        started++;
        return delivery;
    }

    private void dropTakenBack() {
        while (!ready.isEmpty() && ready.peek().state != Delivery.State.READY) {
            ready.poll();
        }
    }

    private boolean mustWaitFor(long lowestMissing) {
        return order == Order.strict && ready.peek().message.id() > lowestMissing;
    }

    private KeyQueue queueOf(Delivery delivery) {
        return queues.get(keyOf(delivery.message));
    }

    /** How long nothing becomes ready by the passing of time alone, in nanoseconds; {@link Long#MAX_VALUE} if never. */
    public long untilNextRetry(long now) {
        return blocked.isEmpty() ? Long.MAX_VALUE : Math.max(0, blocked.peek().retryAt() - now);
    }

    /**
     * Takes note of how an attempt ended.
     *
     * @return the messages that count as delivered now, in order: often this one, none, or also later ones of its key
     */
    public List<Message> finished(Delivery delivery, Outcome outcome, long now) {
        KeyQueue queue = queueOf(delivery);
        started--;
        queue.ended(delivery, outcome);
        List<Message> delivered = queue.removeArrived();
        delivered.forEach(this::forget);
        if (queue.isEmpty()) {
            queues.remove(queue.key());
        } else if (queue.hasFailed()) {
            recover(queue, now);
        } else if (!delivered.isEmpty()) {
            releaseNext(queue);
        }
        return delivered;
    }

    private void forget(Message message) {
        size--;
        bytes -= message.bytes();
    }

    private void recover(KeyQueue queue, long now) {
        queue.startRecovering();
        if (queue.nothingIsOnItsWay()) {
            queue.retryAllAfter(backoff, now);
            blocked.add(queue);
        }
    }

    private void releaseNext(KeyQueue queue) {
        if (pipelined) {
            queue.all().forEach(this::release);
        } else {
            release(queue.head());
        }
    }

    private void release(Delivery delivery) {
        if (delivery.state == Delivery.State.QUEUED) {
            delivery.state = Delivery.State.READY;
            ready.add(delivery);
        }
    }

    /** In order {@code strict} the id of the message that all others wait for; 0 if there is none, or in another order. */
    public long firstInStrictOrder() {
        KeyQueue queue = queues.get(Order.strict);
        return queue == null ? 0 : queue.head().message.id();
    }

    /** How many messages are taken in and not delivered. */
    public int size() {
        return size;
    }

    /** About how much memory they take, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** How many messages are on their way. */
    public int started() {
        return started;
    }

    /** How many keys wait for another attempt of a message that failed. */
    public int blockedKeys() {
        return blocked.size();
    }
}
