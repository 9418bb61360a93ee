package dev.caravan.engine.schedule;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides which of the messages in flight may start next, and when one counts as ended. Each key has a queue, in order of id.
 * Without pipelining only the head of a queue is started. With pipelining all are started in order without waiting; if one
 * fails, the later ones of its key that were started are sent again after it, so that repeats restore the order. A queue whose
 * head failed leaves the schedule as a whole. No I/O; not thread-safe.
 */
public final class Schedule {
    private final Order order;
    private final boolean pipelined;
    private final boolean deadBlocks;
    private final Map<Object, KeyQueue> queues = new HashMap<>();
    private final StartOrder startOrder;
    private final Availability availability = new Availability();
    private final RunningAttempts running;
    private final TestChoice tests;
    private final Judgement judgement;
    private long added;
    private int size;
    private long bytes;
    private int dueRetries;

    /** @param maxStarted limit of attempts that run at the same time */
    public Schedule(Order order, boolean pipelined, int maxStarted, OnDead onDead) {
        this.order = order;
        this.pipelined = pipelined;
        deadBlocks = onDead.blocks(order);
        judgement = new Judgement(order, availability);
        startOrder = new StartOrder(maxStarted);
        running = new RunningAttempts(maxStarted);
        tests = new TestChoice(availability, queues.values(), running);
    }

    /** Adds a message. */
    public void add(Delivery delivery) {
        KeyQueue queue = queues.computeIfAbsent(order.queueOf(delivery.message()), KeyQueue::new);
        queue.insert(delivery);
        delivery.added = ++added;
        size++;
        bytes += delivery.bytes();
        dueRetries += delivery.isRetry() ? 1 : 0;
        if (pipelined && delivery.failedBefore() && queue.head() == delivery) {
            queue.startRecovering(); // it may have to wait; later ones of its key must not overtake it
        }
        if (pipelined && queue.last() == delivery && !queue.isRecovering()) {
            release(delivery);
        } else {
            releaseNext(queue);
        }
    }

    /**
     * The next message to start, or null if none may start now.
     *
     * @param now the time of a monotonic clock, in nanoseconds
     * @param below messages that have not failed before start only if their id is lower: in order {@code strict}, the lowest missing id
     */
    public Delivery next(long now, long below) {
        if (running.areAtLimit()) {
            return null;
        }
        Delivery delivery = availability.isTesting() ? nextTest(now, below) : startOrder.next(below);
        if (delivery != null) {
            running.start(delivery, now);
        }
        return delivery;
    }

    /**
     * The next messages to start as one attempt, in order of id; empty if none may start now. With pipelining only one at a time.
     *
     * @param maxBytes limit of their size; a single larger message is still started
     */
    public List<Delivery> nextBatch(int maxMessages, long maxBytes, long now, long below) {
        Delivery first = next(now, below);
        if (first == null) {
            return List.of();
        }
        if (maxMessages == 1) {
            return List.of(first);
        }
        BatchSelection batch = new BatchSelection(first, startOrder, maxMessages, maxBytes);
        for (Delivery next = batch.next(below); next != null; next = batch.next(below)) {
            running.join(next, now);
        }
        return batch.complete();
    }

    private Delivery nextTest(long now, long below) {
        Delivery test = tests.next(now, below);
        return test == null && tests.hasNothingToTest() ? startOrder.next(below) : test;
    }

    /** Time until a probe may start, in nanoseconds; {@link Long#MAX_VALUE} if no probe waits for its time. */
    public long untilNextProbe(long now) {
        boolean probeIsNext = availability.isUnavailable() && running.messages() == 0 && hasReady();
        return probeIsNext ? availability.untilNextProbe(now) : Long.MAX_VALUE;
    }

    /** Whether {@link #finished} needs the time: not for a success while the destination is available. */
    public boolean needsTime(Result result) {
        return result.outcome() != Outcome.DELIVERED || availability.isTesting();
    }

    /**
     * Records the result of an attempt; returns the messages that leave the schedule.
     *
     * @param now the time of the monotonic clock; ignored unless {@link #needsTime(Result)}
     */
    public Ended finished(Delivery delivery, Result result, long now) {
        return finish(delivery, result, now, new Ended());
    }

    private Ended finish(Delivery delivery, Result result, long now, Ended ended) {
        int sizeBefore = size;
        KeyQueue queue = delivery.queue;
        boolean wasRecovering = queue.isRecovering();
        if (result.failure() != null) {
            delivery.failedAfter = Math.max(0, now - delivery.startedAt);
        }
        running.ended(delivery);
        queue.ended(delivery, judgement.judge(delivery, result, running.earlierThan(delivery), now));
        running.stopped(delivery);
        startOrder.ended(delivery);
        removeEnded(queue, ended);
        if (queue.hasFailures()) {
            queue.startRecovering();
            if (!queue.hasRunning()) {
                recover(queue, ended);
            }
        } else if (size < sizeBefore && !queue.isEmpty() && (!pipelined || wasRecovering)) { // else all are released
            releaseNext(queue);
        }
        if (queue.isEmpty()) {
            queues.remove(queue.key());
        }
        tests.judgeSuspicion(now);
        return ended;
    }

    /** Records the results of the messages of one attempt, one result each; returns the messages that leave the schedule. */
    public Ended finished(List<Delivery> batch, List<Result> results, long now) {
        Ended ended = new Ended();
        boolean anyDelivered = results.contains(Result.DELIVERED);
        for (boolean delivered : new boolean[] {true, false}) { // delivered ones first: an outage begins after them
            for (int i = 0; i < batch.size(); i++) {
                if (delivered == (results.get(i) == Result.DELIVERED)) {
                    batch.get(i).batchPartlyDelivered = anyDelivered;
                    finish(batch.get(i), results.get(i), now, ended);
                }
            }
        }
        return ended;
    }

    /**
     * Records that an attempt of several messages failed, and it is not known for which of them. They are sent again, in batches of at
     * most half the size.
     */
    public void failedTogether(List<Delivery> batch, Result result, long now) {
        judgement.judgeTogether(batch, result, now);
        for (Delivery delivery : batch) {
            running.ended(delivery);
            delivery.queue.returned(delivery);
            delivery.largestBatch = (batch.size() + 1) / 2;
            running.stopped(delivery);
        }
        batch.forEach(delivery -> release(delivery.queue.head()));
        tests.judgeSuspicion(now);
    }

    private void removeEnded(KeyQueue queue, Ended ended) {
        for (; ; ) {
            Delivery delivered = queue.removeHead(Outcome.DELIVERED);
            Delivery dead = delivered == null && !deadBlocks ? queue.removeHead(Outcome.DEAD) : null;
            if (delivered != null) {
                ended.delivered(forget(delivered));
            } else if (dead != null) {
                ended.dead(forget(dead));
            } else {
                return;
            }
        }
    }

    /** Handles a queue whose head was not delivered, once no attempt of its key is running. */
    private void recover(KeyQueue queue, Ended ended) {
        Delivery dead = queue.removeHead(Outcome.DEAD);
        Delivery failed = dead == null ? queue.removeHead(Outcome.RETRY) : null;
        if (dead != null) {
            ended.dead(forget(dead));
        } else if (failed != null) {
            ended.fail(forget(failed));
        } else {
            queue.requeueAll();
            release(queue.head());
            return;
        }
        if (order == Order.strict) {
            queue.requeueAll(); // they wait in memory, because with order=strict all messages wait
            if (!queue.isEmpty()) {
                release(queue.head());
            }
        } else {
            queue.removeAll().forEach(delivery -> ended.blocked(forget(delivery)));
        }
    }

    private Delivery forget(Delivery delivery) {
        size--;
        bytes -= delivery.bytes();
        dueRetries -= delivery.isRetry() ? 1 : 0;
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
            startOrder.add(delivery, !pipelined || delivery.queue.isRecovering());
        }
    }

    /** In order {@code strict}, the id of the message for which all others wait; 0 if there is none, or in another order. */
    public long firstInStrictOrder() {
        KeyQueue queue = queues.get(Order.strict);
        return queue == null ? 0 : queue.head().message().id();
    }

    /** The availability of the destination. */
    public Availability availability() {
        return availability;
    }

    /** The current outage of the destination; empty while it is available. */
    public Optional<Outage> outage(long now) {
        return judgement.outage(now);
    }

    /** Whether a message is ready. Only the limit of running attempts or an unavailable destination can prevent its start. */
    public boolean hasReady() {
        return !startOrder.isEmpty();
    }

    /** Whether a message is ready and the limit of running attempts allows one more. */
    public boolean canStart() {
        return hasReady() && !running.areAtLimit();
    }

    /** Number of messages in flight that were due in {@code outbox_retry}. */
    public int dueRetries() {
        return dueRetries;
    }

    /** Number of messages in flight. */
    public int size() {
        return size;
    }

    /** Approximate memory of the messages in flight, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** The messages, of each batch the first one, whose running attempt began before a time. Visits all messages in flight. */
    public List<Delivery> startedBefore(long time) {
        List<Delivery> found = new ArrayList<>();
        if (running.messages() > 0) {
            queues.values().forEach(queue -> queue.all().forEach(delivery -> {
                if (delivery.state == Delivery.State.STARTED && !delivery.joined && delivery.startedAt - time < 0) {
                    found.add(delivery);
                }
            }));
        }
        return found;
    }

    /** The time for which the oldest running attempt has been running; zero if none is. Visits all messages in flight. */
    public Duration longestAttempt(long now) {
        return Duration.ofNanos(startedBefore(now).stream()
                .mapToLong(delivery -> now - delivery.startedAt)
                .max()
                .orElse(0));
    }

    /** Number of messages in running attempts. */
    public int started() {
        return running.messages();
    }
}
