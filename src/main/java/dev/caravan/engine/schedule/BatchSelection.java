package dev.caravan.engine.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the messages that are sent together with a first one: those that may start, in order of id, and behind each chosen
 * message the next one of its key. Messages that failed before are not chosen: they are sent alone, so that the cause of another
 * failure is known.
 */
final class BatchSelection {
    private final StartOrder startOrder;
    private final int maxMessages;
    private final long maxBytes;
    private final int largestBatch;
    private final List<Delivery> chosen = new ArrayList<>();
    /** Messages of the keys of the chosen ones that may start only in this batch. */
    private final List<Delivery> followers = new ArrayList<>();

    private long bytes;

    /**
     * @param first the message that {@link StartOrder} has chosen; it has started
     * @param maxBytes limit of the size; the first message may be larger
     */
    BatchSelection(Delivery first, StartOrder startOrder, int maxMessages, long maxBytes) {
        this.startOrder = startOrder;
        this.maxMessages = first.isSentAlone() ? 1 : Math.min(maxMessages, first.largestBatch);
        this.maxBytes = maxBytes;
        largestBatch = first.largestBatch;
        add(first);
    }

    private void add(Delivery delivery) {
        chosen.add(delivery);
        bytes += delivery.bytes();
    }

    /** Removes and returns the next message to start; null if the batch is complete. */
    Delivery next(long below) {
        if (chosen.size() >= maxMessages) {
            return null;
        }
        releaseFollower(chosen.get(chosen.size() - 1).queue);
        Delivery next = startOrder.peek(below);
        if (next == null || !fits(next)) {
            return null;
        }
        startOrder.take(next);
        add(next);
        return next;
    }

    private void releaseFollower(KeyQueue queue) {
        Delivery follower = queue.nextFollower();
        if (follower != null && !follower.isSentAlone()) {
            follower.state = Delivery.State.READY;
            startOrder.add(follower, true);
            followers.add(follower);
        }
    }

    /** Messages of a failed batch are not mixed with others, so that only they can make one of its halves fail. */
    private boolean fits(Delivery next) {
        return next.largestBatch == largestBatch && bytes + next.bytes() <= maxBytes && !next.isSentAlone();
    }

    /** The chosen messages, in order of id. Later messages of their keys wait until these have ended. */
    List<Delivery> complete() {
        chosen.forEach(delivery -> delivery.queue.chosen());
        for (Delivery follower : followers) {
            if (follower.state == Delivery.State.READY) {
                follower.state = Delivery.State.QUEUED;
            }
        }
        return chosen;
    }
}
