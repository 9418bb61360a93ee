package dev.caravan.delivery;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which of the taken messages may start next, and when one counts as ended. Messages of a key stand in a queue in
 * order of id. Without pipelining only the head of a queue is started. With pipelining all are started in order without
 * waiting; if one fails, the later ones of its key that were started are sent again after it, so that the order is restored
 * by repeating. A queue whose head failed leaves the schedule as a whole. No I/O; one thread at a time.
 */
public final class Schedule {
    private static final int RECOVERIES_UNTIL_BLAMED = 3;

    private final Order order;
    private final boolean pipelined;
    private final int maxStarted;
    private final OnDead onDead;

    private final Map<Object, KeyQueue> queues = new HashMap<>();
    private final ReadyQueue ready = new ReadyQueue();
    private final Availability availability = new Availability();
    private int size;
    private long bytes;
    private int started;
    private long starts;
    private long ends;
    /** The last one that says something about a destination that is away. */
    private Failure lastFailure;

    /** @param maxStarted how many messages may be on their way at once */
    public Schedule(Order order, boolean pipelined, int maxStarted, OnDead onDead) {
        this.order = order;
        this.pipelined = pipelined;
        this.maxStarted = maxStarted;
        this.onDead = onDead;
    }

    /** Takes in a message. */
    public void add(Delivery delivery) {
        KeyQueue queue = queues.computeIfAbsent(keyOf(delivery.message()), KeyQueue::new);
        queue.insert(delivery);
        size++;
        bytes += delivery.message().bytes();
        if (pipelined && queue.last() == delivery && !queue.isRecovering()) {
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
     * @param below nothing fresh at or above this id starts: in order {@code strict}, the lowest missing id
     */
    public Delivery next(long now, long below) {
        Delivery delivery = ready.peek();
        if (delivery == null || started >= maxStarted || !availability.mayStart(now, started)) {
            return null;
        }
        if (!delivery.isStored() && delivery.message().id() >= below) {
            return null;
        }
        ready.removeFirst();
        delivery.queue.started(delivery);
        delivery.startNumber = ++starts;
        started++;
        return delivery;
    }

    /** How long nothing becomes ready by the passing of time alone, in nanoseconds; {@link Long#MAX_VALUE} if never. */
    public long untilNextProbe(long now) {
        boolean probeIsNext = availability.isAway() && started == 0 && !ready.isEmpty();
        return probeIsNext ? availability.untilNextProbe(now) : Long.MAX_VALUE;
    }

    /** Takes note of how an attempt ended; returns what counts as ended now. */
    public Ended finished(Delivery delivery, Result result, long now) {
        KeyQueue queue = delivery.queue;
        boolean wasRecovering = queue.isRecovering();
        started--;
        ends++;
        delivery.counted = note(delivery, result, now);
        queue.ended(delivery, blamed(delivery, result));
        Ended ended = new Ended();
        removeEnded(queue, ended);
        if (queue.hasFailures()) {
            queue.startRecovering();
            if (queue.nothingIsOnItsWay()) {
                recover(queue, ended);
            }
        } else if (!ended.isEmpty() && !queue.isEmpty() && (!pipelined || wasRecovering)) { // else all are released
            releaseNext(queue);
        }
        if (queue.isEmpty()) {
            queues.remove(queue.key());
        }
        return ended;
    }

    /** At least so many of those that started before it have not ended; exact while they end in the order of their start. */
    private long earlierOnTheirWay(Delivery delivery) {
        return Math.max(0, delivery.startNumber - ends);
    }

    /** Takes note of what an attempt says about the destination; returns whether it counts against the message. */
    private boolean note(Delivery delivery, Result result, long now) {
        boolean wasAway = availability.isAway();
        boolean counts = false;
        switch (result.outcome()) {
            case UNAVAILABLE -> {
                delivery.foundAway(availability.recoveries());
                availability.unavailable(now, result.retryAfter());
            }
            case RETRY, DEAD -> counts = availability.failed(now, earlierOnTheirWay(delivery));
            case DELIVERED -> availability.answered();
        }
        lastFailure = availability.isAway() ? result.failure() : null;
        if (wasAway && !availability.isAway()) {
            ready.forgetProbes();
        }
        return counts;
    }

    /**
     * What the attempt means for the message. One that keeps finding away what others get through to is at fault itself; and
     * while everything fails, nothing is dead: the reason may be a wrong address or password of the destination.
     */
    private Result blamed(Delivery delivery, Result result) {
        if (result.outcome() == Outcome.UNAVAILABLE
                && availability.recoveries() - delivery.recoveriesBefore >= RECOVERIES_UNTIL_BLAMED) {
            delivery.counted = true;
            return Result.retry(result.failure());
        }
        boolean mayRecover = result.outcome() == Outcome.DEAD && !delivery.counted;
        return mayRecover ? Result.retry(result.failure()) : result;
    }

    private void removeEnded(KeyQueue queue, Ended ended) {
        for (; ; ) {
            Delivery delivered = queue.removeHead(Outcome.DELIVERED);
            Delivery dead = delivered == null && !deadBlocks() ? queue.removeHead(Outcome.DEAD) : null;
            if (delivered != null) {
                ended.delivered().add(forget(delivered));
            } else if (dead != null) {
                ended.dead().add(forget(dead));
            } else {
                return;
            }
        }
    }

    private boolean deadBlocks() {
        return order == Order.strict || order == Order.key && onDead == OnDead.BLOCK;
    }

    /** Everything of this key that was started has ended, and its head did not arrive. */
    private void recover(KeyQueue queue, Ended ended) {
        Delivery dead = queue.removeHead(Outcome.DEAD);
        Delivery failed = dead == null ? queue.removeHead(Outcome.RETRY) : null;
        if (dead == null && failed == null) {
            queue.requeueAll();
            release(queue.head());
            return;
        }
        if (dead != null) {
            ended.dead().add(forget(dead));
        } else {
            ended.fail(forget(failed));
        }
        if (order == Order.strict) {
            queue.requeueAll(); // they wait in memory: in this order everything waits
            if (!queue.isEmpty()) {
                release(queue.head());
            }
        } else {
            queue.removeAll().forEach(delivery -> ended.blocked().add(forget(delivery)));
        }
    }

    private Delivery forget(Delivery delivery) {
        size--;
        bytes -= delivery.message().bytes();
        return delivery;
    }

    private void releaseNext(KeyQueue queue) {
        if (pipelined && !queue.isRecovering()) {
            queue.all().forEach(this::release);
        } else {
            release(queue.head());
        }
    }

    private void release(Delivery delivery) {
        if (delivery.state == Delivery.State.QUEUED) {
            delivery.state = Delivery.State.READY;
            delivery.probes = availability.isAway() ? delivery.probes : 0;
            ready.add(delivery);
        }
    }

    /** In order {@code strict} the id of the message that all others wait for; 0 if there is none, or in another order. */
    public long firstInStrictOrder() {
        KeyQueue queue = queues.get(Order.strict);
        return queue == null ? 0 : queue.head().message().id();
    }

    /** Whether the destination can be sent to. */
    public Availability availability() {
        return availability;
    }

    /** Since when and why the destination is away; empty while it is not. */
    public Optional<Away> away(long now) {
        if (!availability.isAway()) {
            return Optional.empty();
        }
        return Optional.of(new Away(
                Duration.ofNanos(now - availability.awaySince()),
                lastFailure.reason(),
                Duration.ofNanos(availability.untilNextProbe(now))));
    }

    /** Whether some message waits for nothing but its turn, or for the destination. */
    public boolean hasReady() {
        return !ready.isEmpty();
    }

    /** How many messages are taken in and not ended. */
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
}
