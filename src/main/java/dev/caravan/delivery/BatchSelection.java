package dev.caravan.delivery;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the messages that are sent together with a first one: those that may start, in order of id, and behind each chosen message
 * the next one of its key. Messages that failed before are not chosen: they are sent alone, so that their failures are their own.
 */
final class BatchSelection {
    private final Turns turns;
    private final int mostMessages;
    private final long mostBytes;
    private final int largestBatch;
    private final List<Delivery> chosen = new ArrayList<>();
    /** Messages of the keys of the chosen ones that may start only in this batch. */
    private final List<Delivery> followers = new ArrayList<>();

    private long bytes;

    /**
     * @param first what {@link Turns} chose, already started
     * @param mostBytes limit of the size; the first message may be larger
     */
    BatchSelection(Delivery first, Turns turns, int mostMessages, long mostBytes) {
        this.turns = turns;
        this.mostMessages = first.goesAlone() ? 1 : Math.min(mostMessages, first.largestBatch);
        this.mostBytes = mostBytes;
        largestBatch = first.largestBatch;
        add(first);
    }

    private void add(Delivery delivery) {
        chosen.add(delivery);
        bytes += delivery.bytes();
    }

    /** Removes and returns the next message to start; null if the batch is complete. */
    Delivery next(long below) {
        if (chosen.size() >= mostMessages) {
            return null;
        }
        releaseFollower(chosen.get(chosen.size() - 1).queue);
        Delivery next = turns.peek(below);
        if (next == null || !fits(next)) {
            return null;
        }
        turns.take(next);
        add(next);
        return next;
    }

    private void releaseFollower(KeyQueue queue) {
        Delivery follower = queue.nextFollower();
        if (follower != null && !follower.goesAlone()) {
            follower.state = Delivery.State.READY;
            turns.add(follower, true);
            followers.add(follower);
        }
    }

    /** Messages of a batch that failed stay together, so that its halves fail and succeed for the same reasons. */
    private boolean fits(Delivery next) {
        return next.largestBatch == largestBatch && bytes + next.bytes() <= mostBytes;
    }

    /** The chosen messages, in order of id. Messages behind them of the same keys wait for their end. */
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
